"""What a report or a trial says of one test, and how its attempts come to one result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, unique
from typing import ClassVar


@unique
class Outcome(str, Enum):
    """How one attempt at a test ended."""

    PASSED = "passed"
    FAILED = "failed"
    ERRORED = "errored"
    SKIPPED = "skipped"
    CRASHED = "crashed"
    """The process died under it."""
    TIMED_OUT = "timed-out"
    """It was ended from outside."""
    NOT_RUN = "not-run"
    """It was named, and never started or never finished."""

    @property
    def bad(self) -> bool:
        """Whether this outcome turns a check red."""
        return self in (Outcome.FAILED, Outcome.ERRORED, Outcome.CRASHED, Outcome.TIMED_OUT)


DEATH = "Crash"
"""Type of the failure of a test whose process died."""
HANG = "Timeout"
"""Type of the failure of a test that was ended from outside."""


@dataclass(frozen=True)
class Failure:
    """Why an attempt was bad, as its reporter told it."""

    type: str
    """Exception type, e.g. ``AssertionError``; empty when unknown."""
    message: str
    """The message, capped by whoever read it."""
    file: str = ""
    """The raising file, relative to the suite's root when it lies there; empty when unknown."""
    line: int = 0
    """The raising line in ``file``, 1-based; 0 when unknown."""
    when: str = "call"
    """``setup``, ``call`` or ``teardown``; ``collect`` when the module did not import."""
    text: str = ""
    """The traceback or system output that came with it, capped."""
    output: str = ""
    """What the test had printed, where a report tells it apart from the traceback; capped."""


@dataclass(frozen=True, slots=True)
class TestId:
    """A test as a report names it."""

    __test__: ClassVar[bool] = False

    classname: str
    """As written; empty when the report gives none."""
    name: str
    """As written, parameters included; empty when the report gives none."""
    suite: str = ""
    """Name of the suite element around it."""

    def __str__(self) -> str:
        return "::".join(part for part in (self.classname, self.name) if part) or "(no name)"


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try at a test, as one element of a report tells it."""

    outcome: Outcome
    failure: Failure | None = None
    """None unless the outcome is bad."""
    properties: tuple[tuple[str, str], ...] = ()
    """What the test recorded about itself; kept for bad attempts only."""
    file: str = ""
    """The test's own file, where the report names it (xunit1)."""
    worker: str = ""
    """The process it ran in, e.g. ``gw0``; empty when the report does not tell."""
    retry: bool = False
    """Told only as a retried attempt, beside the element that gives the result."""


PASSED = Attempt(Outcome.PASSED)
PASSED_SO_FAR = Attempt(Outcome.PASSED, retry=True)
"""What an element says that tells of nothing but a rerun: a pass, unless another element of its test follows."""
SKIPPED = Attempt(Outcome.SKIPPED)
NOT_RUN = Attempt(Outcome.NOT_RUN)
RETRIED = Attempt(Outcome.FAILED, Failure("", "retried; the report does not say why"), retry=True)
"""An attempt that was made again and of which the report keeps only the place."""


@dataclass(frozen=True, slots=True)
class TestResult:
    """What all attempts at one test come to."""

    __test__: ClassVar[bool] = False

    id: TestId
    attempts: tuple[Attempt, ...]
    """In the order in which they were made; never empty."""
    position: int = 0
    """0-based place of its first attempt in the order of the report."""

    @property
    def flaky(self) -> bool:
        """Whether some attempts were bad and some passed."""
        outcomes = [attempt.outcome for attempt in folded(self.attempts)]
        return Outcome.PASSED in outcomes and any(outcome.bad for outcome in outcomes)

    @property
    def outcome(self) -> Outcome:
        """The worst of its attempts, retried ones aside; passed when it is flaky."""
        if self.flaky:
            return Outcome.PASSED
        attempts = folded(self.attempts)
        outcomes = {one.outcome for one in attempts if not one.retry} or {one.outcome for one in attempts}
        return next(outcome for outcome in _WORST_FIRST if outcome in outcomes)

    @property
    def failure(self) -> Failure | None:
        """The failure to explain: the last that gives the result, a test's own before that of its teardown."""
        told = [attempt for attempt in self.attempts if attempt.failure is not None]
        decisive = [attempt.failure for attempt in told if not attempt.retry] or [one.failure for one in told]
        own = [failure for failure in decisive if failure is not None and failure.when != "teardown"]
        return (own or decisive or [None])[-1]

    @property
    def worker(self) -> str:
        """The process of its last attempt; empty when unknown."""
        return self.attempts[-1].worker


_WORST_FIRST = (
    Outcome.CRASHED,
    Outcome.TIMED_OUT,
    Outcome.ERRORED,
    Outcome.FAILED,
    Outcome.PASSED,
    Outcome.SKIPPED,
    Outcome.NOT_RUN,
)


def folded(attempts: Sequence[Attempt]) -> tuple[Attempt, ...]:
    """The attempts with each failed teardown made part of the attempt that it ended."""
    merged: list[Attempt] = []
    for attempt in attempts:
        if merged and not attempt.retry and attempt.failure is not None and attempt.failure.when == "teardown":
            merged[-1] = attempt
        else:
            merged.append(attempt)
    return tuple(merged)
