"""What a report or a trial says of one test."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, unique


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
    """``setup``, ``call`` or ``teardown``."""
    text: str = ""
    """The traceback or system output that came with it, capped."""
