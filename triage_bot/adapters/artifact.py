"""The results inside what a run uploaded: a ``triage.json``, or the zip archive that the host wraps it in.

Nothing is unpacked to disk. An archive with members that point out of it, or that grow without end, is refused whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from triage_bot.adapters import wire
from triage_bot.adapters.archive import Archive, is_archive
from triage_bot.core.findings import Triage

NAME = "triage.json"
MOST_RESULTS = 50
"""Results that are read from one archive, one a job."""


def load(path: Path) -> Sequence[Triage]:
    """Every result in a file. Raises ``UnreadableInputError`` for what is broken or hostile."""
    if not path.is_file() or not is_archive(path):
        return (wire.load(path),)
    archive = Archive(path)
    wanted = [index for index, name in enumerate(archive.members) if PurePosixPath(name).name == NAME]
    return tuple(wire.read(_content(archive, index), archive.members[index]) for index in wanted[:MOST_RESULTS])


def _content(archive: Archive, member: int) -> bytes:
    """A member's bytes, one more than a document may have at most: ``wire`` refuses what is too large."""
    content = bytearray()
    for piece in archive.pieces(member):
        content += piece
        if len(content) > wire.MAX_BYTES:
            break
    return bytes(content)
