"""What makes another failure *alike*: the same exception, raised at the same place, saying the same thing.

Limits: two defects that raise the same words on the same line are one failure here; so are two lists of numbers.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import PurePath

from triage_bot.core.results import Failure

_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]+\b")
_PATH = re.compile(r"(?<![\w/.~])(?:~|\.{1,2})?/[\w.+@~-]+(?:/[\w.+@~-]+)*/?")
_NUMBER = re.compile(r"(?<![A-Za-z_\d.])[-+]?\d+(?:[.,]\d+)*\.?(?:[eE][-+]?\d+)?")
_NUMBERS = re.compile(r"[\[({]\s*<n(?:umbers)?>(?:\s*[,;]?\s*<n(?:umbers)?>)*\s*,?\s*[\])}]")
_TYPE_PREFIX = re.compile(r"^(?P<type>(?:[A-Za-z_]\w*\.)*[A-Z]\w*): (?P<rest>.*)$")


def masked(line: str) -> str:
    """The line with addresses, paths and numbers replaced, and lists of numbers collapsed to ``<numbers>``."""
    line = _ADDRESS.sub("<address>", line)
    line = _PATH.sub("<path>", line)
    line = _NUMBER.sub("<n>", line)
    line, found = _NUMBERS.subn("<numbers>", " ".join(line.split()))
    while found:
        # Lists of lists: each pass collapses the innermost ones.
        line, found = _NUMBERS.subn("<numbers>", line)
    return line


def signature(failure: Failure) -> str:
    """Canonical text of what makes another failure alike, e.g. ``AssertionError at test_a.py:9: <n> corrupt``."""
    kind, message = _kind_and_message(failure)
    place = f" at {failure.file}:{failure.line}" if failure.file else ""
    return f"{kind}{place}: {message}"


@lru_cache(maxsize=4096)
def alike(one: Failure, other: Failure) -> bool:
    """Whether both are the same failure. What one of them does not know (type, place) cannot tell them apart."""
    one_kind, one_message = _kind_and_message(one)
    other_kind, other_message = _kind_and_message(other)
    return (
        one_message == other_message
        and (not one_kind or not other_kind or one_kind == other_kind)
        and _same_place(one, other)
    )


@lru_cache(maxsize=1024)
def _kind_and_message(failure: Failure) -> tuple[str, str]:
    """Short exception type and masked first line; reporters put the type in front of the message, or beside it."""
    first = next((line.strip() for line in failure.message.splitlines() if line.strip()), "")
    kind = failure.type.rpartition(".")[2]
    prefix = _TYPE_PREFIX.match(first)
    if prefix and prefix["type"].rpartition(".")[2] == (kind or prefix["type"].rpartition(".")[2]):
        kind, first = prefix["type"].rpartition(".")[2], prefix["rest"]
    return kind, masked(first)


def _same_place(one: Failure, other: Failure) -> bool:
    if not one.file or not other.file:
        return True
    if one.line and other.line and one.line != other.line:
        return False
    short, long = sorted((PurePath(one.file).parts, PurePath(other.file).parts), key=len)
    return long[-len(short) :] == short
