"""The texts of a report, cut to a size that can be kept, and the failure that they tell of."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from hashlib import blake2b

from triage_bot.adapters.junit.limits import LONGEST_NAME, MESSAGE_LIMIT, MOST_DETAILS
from triage_bot.adapters.junit.tracebacks import place, telling
from triage_bot.core.results import DEATH, Attempt, Failure, Outcome

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
_WRAPPED = re.compile(r'failed on (setup|teardown) with "(.*?)"?', re.DOTALL)
"""The closing quote is missing from a message that was shortened."""
_SHORTENED = re.compile(r"(?:\.\.\.)?\n\[(?:\+\d+ more lines?|truncated); full report in element text\]\Z")
"""What pytest 9.2 and later leave of a message over 500 characters."""
_SAYS_NOTHING = {"", "failed", "failure", "error", "test failure", "unexpected exception"}
"""Messages under which reporters file every failure."""
_IN_TEARDOWN = re.compile(r'^[ \t]*File "[^"\n]+", line \d+, in tearDown(Class|Module)?$', re.MULTILINE)
_NOT_IMPORTED = ("loader._FailedTest", "loader.ModuleImportFailure")
"""Ends of the class names under which unittest and nose2 tell a module that did not import."""
DIED = re.compile(
    r"worker '(\w+)' crashed while running|running the test (?:CRASHED with signal|EXITED with status) \d"
)
"""How pytest's plugins tell that the process of a test died: in a worker that they name, or in a fork."""
_TYPED = re.compile(r"(?:[\w.]+\.)?([A-Za-z_]\w*)(?:: |\Z)")
_EXCEPTION_NAME = re.compile(r"(Error|Exception|Failed|Failure|Exit|Interrupt|Warning|Timeout|Expired)$")


def failure_of(attributes: Mapping[str, str], text: str, output: str = "", module: str = "") -> Failure:
    """What a failure element tells: the exception, and where in the suite it was raised.

    ``module`` is the file or class name of the test.
    """
    message = attributes.get("message", "").lstrip("\ufeff").strip()[:MESSAGE_LIMIT]
    message, shortened = _SHORTENED.subn("", message)
    when = "call"
    if message == "collection failure":
        when, message = "collect", _last_error_line(text) or message
    elif module.endswith(_NOT_IMPORTED):
        when = "collect"
    elif _IN_TEARDOWN.search(text):
        when = "teardown"
    wrapped = _WRAPPED.fullmatch(message)
    if wrapped:
        message = wrapped[2]
        # A process that died is said to have failed on setup, whatever it was doing.
        when = "call" if DIED.search(message) else wrapped[1]
    if message.lower() in _SAYS_NOTHING:
        message = telling(text)
    if lines := _error_lines(message):
        message = _joined(lines)
    elif shortened:
        message = _whole(message, text)
    file, line, ended_as = place(text, module)
    message = message.removeprefix(f"{file}:{line}: ")
    told = ended_as or attributes.get("type", "").strip() or _leading_type(message)
    kind = DEATH if DIED.search(message) else told
    return Failure(kind, _without_type(message, kind), file, line, when, text, output)


def _without_type(message: str, kind: str) -> str:
    """The message without the exception's name before it, under which pytest writes it; empty if it is only that."""
    said, separator, rest = message.partition(": ")
    if kind and said.rpartition(".")[2] == kind.rpartition(".")[2]:
        return rest if separator else ""
    return message


def _leading_type(message: str) -> str:
    match = _TYPED.match(message)
    return match[1] if match and _EXCEPTION_NAME.search(match[1]) else ""


def _whole(message: str, text: str) -> str:
    """The message that a shortened one begins, as the error lines of the traceback tell it."""
    lines = _error_lines(text)
    starts = [at for at, line in enumerate(lines) if line.strip() and message.startswith(line.strip()[: len(message)])]
    if not starts:
        return message
    return _joined(lines[starts[-1] :])


def _joined(lines: Sequence[str]) -> str:
    indent = len(lines[0]) - len(lines[0].lstrip())
    return "\n".join(line[indent:] for line in lines)[:MESSAGE_LIMIT]


def _last_error_line(text: str) -> str:
    return next((line.strip()[:MESSAGE_LIMIT] for line in reversed(_error_lines(text))), "")


def _error_lines(text: str) -> list[str]:
    """What pytest marks as the error in a traceback, without the marks."""
    return [line[1:] for line in text.splitlines() if line.startswith("E ")]
