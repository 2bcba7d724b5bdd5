"""Whether a failure speaks of time. Words alone: they lower a grade, and make no verdict without what a trial saw."""

from __future__ import annotations

import re

from triage_bot.core.results import Failure

_TIME = re.compile(
    r"\b(?:time-?out|timed out|deadline|too (?:slow|late|long)|took|elapsed|latency|overdue"
    r"|\d+(?:\.\d+)? ?(?:ns|us|µs|ms|s|secs?|seconds?|milliseconds?))\b|\btimeout=",
    re.IGNORECASE,
)


_PATIENCE = re.compile(
    r"\b(?:gave up|giving up|expired|in time|by then|stuck|(?:never|not|n't|still not|yet to) (?:yet )?"
    r"(?:done|ready|finish\w*|end(?:ed)?|complet\w*|arriv\w*|c[ao]me|land\w*|idle|drained|signal+ed)"
    r"|still (?:busy|running|pending|in flight|not))\b",
    re.IGNORECASE,
)


def speaks_of_time(failure: Failure | None) -> bool:
    """Whether the type or message of a failure names a deadline or a duration."""
    return failure is not None and _TIME.search(f"{failure.type} {failure.message}") is not None


def speaks_of_patience(failure: Failure | None) -> bool:
    """Whether it says, with no duration, that the test would wait no longer for something."""
    return failure is not None and _PATIENCE.search(failure.message) is not None
