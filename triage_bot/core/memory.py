"""Whose memory it was that ran out, as far as the numbers in a failure's text tell.

The same message means a leak of ours when our own process holds the memory, and contamination when another does.
"""

from __future__ import annotations

import re
from enum import Enum, unique

_TOTAL = re.compile(r"total capacity of ([\d.]+) ([KMGT]iB)")
_OURS = re.compile(r"this process has ([\d.]+) ([KMGT]iB) memory in use")
_OTHERS = re.compile(r"\bprocess \d+ has ([\d.]+) ([KMGT]iB) memory in use", re.IGNORECASE)
_AT_START = re.compile(r"free memory on device[^(\n]{0,40}\(([\d.]+)/([\d.]+) [KMGT]iB\) on startup", re.IGNORECASE)
_NOT_FREED = re.compile(r"memory of devices\b[^\n]{0,80}\bnot free after\b", re.IGNORECASE)
_UNIT = {"KiB": 1.0, "MiB": 1024.0, "GiB": 1024.0**2, "TiB": 1024.0**3}
_MOST = 0.5
"""Share of the device's memory from which its holder is the reason."""

_LONGEST = 4_000
"""Characters looked at: these messages name their numbers in the first lines."""


@unique
class Holder(str, Enum):
    """Who held the device's memory when an allocation failed."""

    OURS = "ours"
    """The process of the test itself."""
    ANOTHERS = "another's"
    """A process beside it, at the time."""
    BEFORE = "held before the test"
    """Something that had not given it back when the test began."""


def holder(text: str) -> Holder | None:
    """The holder that an out-of-memory text names; None when its numbers do not tell."""
    text = text[:_LONGEST]
    if _NOT_FREED.search(text):
        return Holder.BEFORE
    if (start := _AT_START.search(text)) is not None:
        free, all_of_it = _number(start[1]), _number(start[2])
        return Holder.BEFORE if free < (1 - _MOST) * all_of_it else None
    total = sum(_size(match) for match in _TOTAL.finditer(text))
    ours = sum(_size(match) for match in _OURS.finditer(text))
    others = sum(_size(match) for match in _OTHERS.finditer(text))
    if total and max(ours, others) >= _MOST * total:
        return Holder.OURS if ours >= others else Holder.ANOTHERS
    return None


def _size(match: re.Match[str]) -> float:
    return _number(match[1]) * _UNIT[match[2]]


def _number(told: str) -> float:
    try:
        return float(told)
    except ValueError:
        return 0.0
