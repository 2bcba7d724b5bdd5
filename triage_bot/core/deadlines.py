"""Whether a failure speaks of time. Words alone: they lower a grade, and never make a verdict."""

from __future__ import annotations

import re

from triage_bot.core.results import Failure

_TIME = re.compile(
    r"\b(?:time-?out|timed out|deadline|too (?:slow|late|long)|took|elapsed|latency|overdue"
    r"|\d+(?:\.\d+)? ?(?:ns|us|µs|ms|s|secs?|seconds?|milliseconds?))\b|\btimeout=",
    re.IGNORECASE,
)


def speaks_of_time(failure: Failure | None) -> bool:
    """Whether the type or message of a failure names a deadline or a duration."""
    return failure is not None and _TIME.search(f"{failure.type} {failure.message}") is not None
