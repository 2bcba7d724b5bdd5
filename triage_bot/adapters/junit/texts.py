"""The texts of a report, cut to a size that can be kept, and the failure that they tell of."""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import blake2b

from triage_bot.adapters.junit.limits import LONGEST_NAME, MOST_DETAILS
from triage_bot.core.results import Attempt, Failure, Outcome

MESSAGE_LIMIT = 4_000
TEXT_HEAD, TEXT_TAIL = 4_000, 12_000


class CappedText:
    """Text that arrives in pieces, of which the first and the last part are kept."""

    def __init__(self) -> None:
        self._head = ""
        self._tail = ""
        self._cut = False

    def add(self, piece: str) -> None:
        """Append a piece."""
        room = TEXT_HEAD - len(self._head)
        if room > 0:
            self._head += piece[:room]
            piece = piece[room:]
        self._tail += piece
        if len(self._tail) > 4 * TEXT_TAIL:
            self._tail = self._tail[-TEXT_TAIL:]
            self._cut = True

    def __str__(self) -> str:
        if not self._cut and len(self._tail) <= TEXT_TAIL:
            return self._head + self._tail
        return f"{self._head}\n[…]\n{self._tail[-TEXT_TAIL:]}"


class DetailBudget:
    """How much of the failures of one report is kept; past it they are counted, and no longer told."""

    def __init__(self) -> None:
        self.spent = 0
        self.untold = 0
        """Attempts of which nothing but the outcome is kept."""

    def apply(self, attempts: tuple[Attempt, ...]) -> tuple[Attempt, ...]:
        """The attempts as they are kept."""
        told = [attempt.failure for attempt in attempts if attempt.failure is not None]
        self.spent += sum(_OVERHEAD + len(one.message) + len(one.text) + len(one.output) for one in told)
        if self.spent <= MOST_DETAILS:
            return attempts
        self.untold += len(told)
        return tuple(_UNTOLD.get(attempt.outcome, attempt) for attempt in attempts)


def short(name: str) -> str:
    """A name of a length that can be kept. Two different long names stay different."""
    if len(name) <= LONGEST_NAME:
        return name
    return f"{name[: LONGEST_NAME // 2]}…{blake2b(name.encode(errors='replace'), digest_size=12).hexdigest()}"


_OVERHEAD = 1_000
_UNTOLD = {
    outcome: Attempt(outcome, Failure("", "not kept: too many failures in one report"))
    for outcome in Outcome
    if outcome.bad
}
_WRAPPED = re.compile(r'failed on (setup|teardown) with "(.*)"', re.DOTALL)
_TYPED = re.compile(r"(?:[\w.]+\.)?([A-Za-z_]\w*)(?:: |\Z)")
_PYTEST_FRAME = re.compile(r"^([^\s:][^:\n]*\.\w+):(\d+): (?:in )?(.*)$", re.MULTILINE)
_PYTHON_FRAME = re.compile(r'^\s*File "([^"\n]+)", line (\d+)', re.MULTILINE)
_TYPE_ALONE = re.compile(r"[A-Za-z_][\w.]*")
_EXCEPTION_NAME = re.compile(r"(Error|Exception|Failed|Failure|Exit|Interrupt|Warning|Timeout|Expired)$")


def failure_of(attributes: Mapping[str, str], text: str, output: str = "") -> Failure:
    """What a failure element tells: the exception, and the place in the suite that its traceback names last."""
    message = attributes.get("message", "").lstrip("\ufeff").strip()[:MESSAGE_LIMIT]
    when = "call"
    if message == "collection failure":
        when, message = "collect", _last_error_line(text) or message
    wrapped = _WRAPPED.fullmatch(message)
    if wrapped:
        message = wrapped[2]
        # A worker that died is said to have failed on setup, whatever it was doing.
        when = "call" if "crashed while running" in message else wrapped[1]
    file, line, ended_as = _place(text)
    kind = ended_as or attributes.get("type", "").strip() or _leading_type(message or text.strip())
    return Failure(kind, _without_type(message or _first_line(text), kind), file, line, when, text, output)


def _without_type(message: str, kind: str) -> str:
    """The message without the exception's name before it, under which pytest writes it; empty if it is only that."""
    said, separator, rest = message.partition(": ")
    if kind and said.rpartition(".")[2] == kind.rpartition(".")[2]:
        return rest if separator else ""
    return message


def _place(text: str) -> tuple[str, int, str]:
    """File and line of the innermost frame in the suite, and the exception type that the last frame names."""
    frames = [(match[1], int(match[2]), match[3]) for match in _PYTEST_FRAME.finditer(text)]
    ended_as = frames[-1][2].strip() if frames else ""
    ended_as = ended_as if _TYPE_ALONE.fullmatch(ended_as) else ""
    if not frames:
        frames = [(match[1], int(match[2]), "") for match in _PYTHON_FRAME.finditer(text)]
    inside = [frame for frame in frames if _in_suite(frame[0])]
    file, line, _ = (inside or frames or [("", 0, "")])[-1]
    return file, line, ended_as


def _in_suite(file: str) -> bool:
    # pytest prints files of the suite relative to its root; what is absolute or installed is a library's.
    return not file.startswith(("/", "..", "<")) and "site-packages" not in file


def _leading_type(message: str) -> str:
    match = _TYPED.match(message)
    return match[1] if match and _EXCEPTION_NAME.search(match[1]) else ""


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")[:MESSAGE_LIMIT]


def _last_error_line(text: str) -> str:
    lines = [line[1:].strip() for line in text.splitlines() if line.startswith("E ")]
    return lines[-1][:MESSAGE_LIMIT] if lines else ""
