"""Every error that a user can meet: what happened, what to do, and the exit code it ends in."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Exit codes of the command line; read by scripts, so they stay."""

    DONE = 0
    BUG = 1
    USAGE = 2
    UNREADABLE_INPUT = 3
    LAB_FAILED = 4
    CODE_HOST_REFUSED = 5
    VERDICT_FAILED = 10
    INTERRUPTED = 130


class TriageError(Exception):
    """An expected end. ``str()`` says what happened; ``advice`` says what to do about it."""

    exit_code = ExitCode.BUG

    def __init__(self, what: str, advice: str) -> None:
        super().__init__(what)
        self.advice = advice


class UsageError(TriageError):
    """The command was given something that it cannot act on."""

    exit_code = ExitCode.USAGE


class UnreadableInputError(TriageError):
    """A report or artifact cannot be read, or is refused as hostile."""

    exit_code = ExitCode.UNREADABLE_INPUT


class LabError(TriageError):
    """Trials cannot be run here."""

    exit_code = ExitCode.LAB_FAILED


class CodeHostError(TriageError):
    """The code host refused, or could not be reached."""

    exit_code = ExitCode.CODE_HOST_REFUSED


class PermissionRefusedError(CodeHostError):
    """The token lacks a permission; asking again does not help."""
