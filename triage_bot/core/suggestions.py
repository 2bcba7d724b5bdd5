"""A tried fix as suggestions that a person can apply with a button: only on lines that the pull request shows.

Where a single line of a fix lies outside the diff, or the file there reads differently, the fix stays a diff in the
comment.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from triage_bot.core.findings import Remedy
from triage_bot.core.host import ChangedFile

_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")


@dataclass(frozen=True)
class Suggestion:
    """New text for a range of lines of the pull request's own version of a file."""

    path: str
    start: int
    """First line that is replaced, 1-based."""
    end: int
    """Last one."""
    lines: tuple[str, ...]
    """What stands there instead; never needed empty, for a fix that only deletes has context."""
    test: str = ""
    """Node id that it is for."""


@dataclass(frozen=True)
class _Change:
    """Lines of the old file from ``first`` on, and what stands there after."""

    first: int
    old: tuple[str, ...]
    new: tuple[str, ...]


def suggestions(remedy: Remedy, files: Sequence[ChangedFile], test: str) -> tuple[Suggestion, ...]:
    """One suggestion a change of the fix; none at all unless every one of them can be shown."""
    hits = [file for file in files if file.path == remedy.file or file.path.endswith(f"/{remedy.file}")]
    if len(hits) != 1:
        return ()
    shown = _shown(hits[0].patch)
    changes = [change for start, lines in _hunks(remedy.diff) for change in _changes(start, lines)]
    for change in changes:
        if not change.old or any(shown.get(change.first + at) != text for at, text in enumerate(change.old)):
            return ()
    return tuple(
        Suggestion(hits[0].path, change.first, change.first + len(change.old) - 1, change.new, test)
        for change in changes
    )


def _hunks(diff: str) -> list[tuple[int, list[str]]]:
    """The hunks of a unified diff, signs kept, with the first line of the old file that each covers."""
    found: list[tuple[int, list[str]]] = []
    for line in diff.splitlines():
        head = _HUNK.match(line)
        if head:
            found.append((int(head[1]), []))
        elif found and (line == "" or line[0] in " +-"):
            found[-1][1].append(line or " ")
    return found


def _changes(start: int, lines: Sequence[str]) -> list[_Change]:
    """Each run of changed lines of a hunk, with a line of context where it only inserts or only deletes."""
    found = []
    number, index = start, 0
    while index < len(lines):
        if lines[index][0] == " ":
            number, index = number + 1, index + 1
            continue
        stop = index
        while stop < len(lines) and lines[stop][0] != " ":
            stop += 1
        old = tuple(line[1:] for line in lines[index:stop] if line[0] == "-")
        change = _Change(number, old, tuple(line[1:] for line in lines[index:stop] if line[0] == "+"))
        before = lines[index - 1][1:] if index > 0 else None
        after = lines[stop][1:] if stop < len(lines) else None
        found.append(change if change.old and change.new else _with_context(change, before, after))
        number, index = number + len(old), stop
    return found


def _with_context(change: _Change, before: str | None, after: str | None) -> _Change:
    """A suggestion replaces lines, so an insertion takes the line before it along, or else the one after it."""
    if before is not None:
        return _Change(change.first - 1, (before, *change.old), (before, *change.new))
    if after is not None:
        return _Change(change.first, (*change.old, after), (*change.new, after))
    return change


def _shown(patch: str) -> dict[int, str]:
    """The lines of the new version that a pull request's patch shows, by number."""
    shown: dict[int, str] = {}
    number = 0
    for line in patch.splitlines():
        head = _HUNK.match(line)
        if head:
            number = int(head[2])
        elif line[:1] in (" ", "+") or line == "":
            shown[number] = line[1:]
            number += 1
    return shown
