"""Text of unknown origin on one line of a terminal."""

from __future__ import annotations

import re

WIDTH = 160
"""Longest text that is shown, in characters."""
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]+")
"""Control characters, marks of direction, and bytes of file names that are no text."""


def plain(text: str, width: int = WIDTH) -> str:
    """One line of it, without control characters: a test's name must not move the cursor."""
    line = _CONTROL.sub(" ", text).rstrip()
    return line if len(line) <= width else f"{line[: width - 1]}…"


def visible(text: str) -> str:
    """Lines of it, without characters that move the cursor or reorder what stands there."""
    return "\n".join(plain(line, max(len(line), 1)) for line in text.split("\n"))
