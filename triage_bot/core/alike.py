"""What makes another failure *alike*: the same exception, raised at the same place, saying the same thing.

Limits: two defects that raise the same words on the same line are one failure here; so are two lists of numbers.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import PurePath

from triage_bot.core.resolve import as_reported
from triage_bot.core.results import DEATH, HANG, Failure

_SIGNAL = re.compile(r"\bSIG[A-Z]+\b")
_TIMED_OUT = re.compile(r"Timeout \(?>[\d.]+s\)?(?: from pytest-timeout|$)")
_READ = 4_000
"""Characters of a line that are masked: patterns of brackets take quadratic time on hostile ones."""
_LONGEST = 1_000
"""Characters of a masked line that are compared: reports and trials may have cut it at different places."""

_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]+\b")
_PATH = re.compile(r"(?<![\w/.~])(?:~|\.{1,2})?/[\w.+@~-]+(?:/[\w.+@~-]+)*/?")
_NUMBER = re.compile(r"(?<![A-Za-z_\d.])[-+]?(?:\d+(?:[.,]\d+)*\.?(?:[eE][-+]?\d+)?|(?:nan|inf)\b)|(?<=\brank)\d+\b")
_SIZE = re.compile(r"<n> ?(?:[KMGT]i?B|bytes?)\b")
_CUT = re.compile(r"(?<![-+\d.])[-+\d.]*?\.{3}[-+\d.]*")
_NUMBERS = re.compile(r"[\[({][\s\[({.]*<n>(?:<n>|[\s,;:.\[\](){}])*[\])}]")
_TEXT = r"""(?:'[^']*'|"[^"]*"|\([^()]*\))"""
_SAME_TEXTS = re.compile(rf"({_TEXT})(?:, (?:\1|\.{{3}}(?=[\])}}])))+")
_TYPE_PREFIX = re.compile(r"^(?P<type>(?:(?:[A-Za-z_]\w*|<locals>)\.)*[A-Z]\w*): (?P<rest>.*)$")


class _Ended(str):
    """Kind of a failure that was no exception: the test did not come to its end."""


def masked(line: str) -> str:
    """The line with addresses, paths and numbers replaced, and lists of numbers collapsed to ``<numbers>``.

    Of texts in a row that are the same then, one is kept. pytest cuts what is long: ``[1, 2, ..., 9]``.
    """
    line = _CUT.sub("...", _ADDRESS.sub("<address>", line[:_READ]))
    line = _PATH.sub("<path>", line)
    line = _SIZE.sub("<size>", _NUMBER.sub("<n>", line))
    return _SAME_TEXTS.sub(r"\1", _NUMBERS.sub("<numbers>", " ".join(line.split())))


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
    if _Ended in (type(one_kind), type(other_kind)):
        told_apart = bool(one_message and other_message) and one_message != other_message
        return one_kind == other_kind and not told_apart
    return (
        _same_words(one_message, other_message)
        and (not one_kind or not other_kind or one_kind == other_kind)
        and _same_place(one, other)
    )


@lru_cache(maxsize=1024)
def _kind_and_message(failure: Failure) -> tuple[str, str]:
    """Short exception type and masked first line; reporters put the type in front of the message, or beside it."""
    first = next((line.strip() for line in failure.message.splitlines() if line.strip()), "")
    kind = failure.type.rpartition(".")[2]
    if kind == DEATH or (kind == HANG and not failure.file) or _TIMED_OUT.search(first):
        # Who ends a test says so in words of his own; of a death at most the signal is told.
        signal = _SIGNAL.search(first)
        return _Ended(DEATH if kind == DEATH else HANG), signal[0] if signal else ""
    prefix = _TYPE_PREFIX.match(first)
    if prefix and prefix["type"].rpartition(".")[2] == (kind or prefix["type"].rpartition(".")[2]):
        kind, first = prefix["type"].rpartition(".")[2], prefix["rest"]
    return kind, masked(as_reported(first))[:_LONGEST]


def _same_words(one: str, other: str) -> bool:
    """Whether two masked lines say the same, as far as pytest told the values that it compared: it cuts long ones."""
    told = [len(line.partition("...")[0]) for line in (one, other) if line.startswith("assert ") and "..." in line]
    return one == other or (bool(told) and one[: min(told)] == other[: min(told)])


def _same_place(one: Failure, other: Failure) -> bool:
    if not one.file or not other.file:
        return True
    if one.line and other.line and one.line != other.line:
        return False
    short, long = sorted((_parts(one.file), _parts(other.file)), key=len)
    return long[-len(short) :] == short


def _parts(file: str) -> tuple[str, ...]:
    """The parts of a path, without the steps up from wherever it is told."""
    return tuple(part for part in PurePath(file).parts if part != "..")
