"""The files inside a zip artifact, which anybody may have made: nothing is written to disk, and bombs are refused."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from triage_bot.errors import UnreadableInputError

MOST_MEMBERS = 10_000
LARGEST_UNPACKED = 4 * 1024**3
"""Bytes of all members together."""
HIGHEST_RATIO = 400
"""Unpacked to packed size beyond which a large member is a bomb. Reports pack 20 to 100 times."""
_LARGE = 64 * 1024**2
_LARGEST_DIRECTORY = 8 * 1024**2
_PIECE = 256 * 1024
_END_MARK, _END_SIZE, _COMMENT_LIMIT = b"PK\x05\x06", 22, 65_535
_ZIP64_MARK = b"PK\x06\x07"


class Archive:
    """A zip file, checked when it is opened. Raises ``UnreadableInputError`` for what is broken or hostile."""

    def __init__(self, path: Path) -> None:
        self._path = path
        _check_directory(path)
        with _readable(path):
            # Open as long as we are: to read the directory for each member takes minutes when there are thousands.
            self._zip = zipfile.ZipFile(path)
        self._infos = [info for info in self._zip.infolist() if not info.is_dir()]
        for info in self._infos:
            self._check(info)
        unpacked = sum(info.file_size for info in self._infos)
        if unpacked > LARGEST_UNPACKED:
            raise _refused(path, f"it unpacks to {unpacked // 1024**2} MiB")

    @property
    def members(self) -> tuple[str, ...]:
        """Names of the files in it, as stored; ``pieces`` counts in this order."""
        return tuple(info.filename for info in self._infos)

    def pieces(self, member: int) -> Iterator[bytes]:
        """A file's content, a piece at a time. Trusts no size that the archive claims."""
        info = self._infos[member]
        size = 0
        with _readable(self._path), self._zip.open(info) as stream:
            while piece := stream.read(_PIECE):
                size += len(piece)
                if size > _LARGE and size > HIGHEST_RATIO * info.compress_size:
                    raise _refused(self._path, f"its member {info.filename!r} grows {HIGHEST_RATIO} times and more")
                yield piece

    def _check(self, info: zipfile.ZipInfo) -> None:
        name = PurePosixPath(info.filename.replace("\\", "/"))
        if name.is_absolute() or ".." in name.parts or ":" in (name.parts or (":",))[0]:
            raise _refused(self._path, f"its member {info.filename!r} points out of the archive")
        if info.flag_bits & 1:
            raise _refused(self._path, f"its member {info.filename!r} is encrypted")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise _refused(self._path, f"its member {info.filename!r} is packed in an unusual way")
        if info.file_size > _LARGE and info.file_size > HIGHEST_RATIO * info.compress_size:
            raise _refused(self._path, f"its member {info.filename!r} grows {HIGHEST_RATIO} times and more")


def is_archive(path: Path) -> bool:
    """Whether the file begins as a zip archive does."""
    with path.open("rb") as stream:
        return stream.read(4) in (b"PK\x03\x04", _END_MARK)


def _check_directory(path: Path) -> None:
    """Look at the size of the directory before it is read: ``zipfile`` reads all of it into memory."""
    with path.open("rb") as stream:
        size = stream.seek(0, 2)
        stream.seek(max(0, size - _END_SIZE - _COMMENT_LIMIT))
        end = stream.read()
    at = end.rfind(_END_MARK)
    record = end[at : at + _END_SIZE]
    if at < 0 or len(record) < _END_SIZE:
        raise UnreadableInputError(f"{path} is a broken zip archive: it has no directory", "Download it again.")
    count, length = struct.unpack_from("<HL", record, 10)
    if count > MOST_MEMBERS or length > _LARGEST_DIRECTORY or _ZIP64_MARK in end[:at]:
        raise _refused(path, f"it has more than {MOST_MEMBERS} members")


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        raise UnreadableInputError(f"{path} is a broken zip archive: {error}", "Download it again.") from error


def _refused(path: Path, why: str) -> UnreadableInputError:
    return UnreadableInputError(f"{path} is refused: {why}", "Unpack it yourself if you trust where it comes from.")
