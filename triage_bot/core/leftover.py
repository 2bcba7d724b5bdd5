"""What kind of state an earlier test left behind, as far as the failure of a later one tells.

To be asked only where trials have shown that the failure needs that earlier test, and that draining does not help. The
words of a failure are then the only witness: they name a kind, and prove none.
"""

from __future__ import annotations

import re
from enum import Enum, unique

from triage_bot.core.results import Failure
from triage_bot.core.signatures import OUT_OF_MEMORY, STICKY_CUDA, rule_of

_REGISTRATION = re.compile(
    r"\brequested memory range is already mapped\b"
    r"|\bdoes not correspond to a registered memory region\b"
    r"|\b(?:cudaError|CUDA_ERROR_)HostMemory(?:Already|Not)Registered\b"
    r"|\bCUDA_ERROR_HOST_MEMORY_(?:ALREADY|NOT)_REGISTERED\b"
)


@unique
class Leftover(str, Enum):
    """State that a process keeps beyond the test that made it. The values are words for a person."""

    DEVICE_MEMORY = "device memory that is still held"
    HOST_REGISTRATION = "a host registration that was not undone, or a CUDA error about one that nobody read"
    CUDA_ERROR = "a CUDA error, which every later call of the process repeats"


def left_behind(failure: Failure | None) -> Leftover | None:
    """What the words of a failure name; None where they name nothing of the kind."""
    if failure is None:
        return None
    if _REGISTRATION.search(f"{failure.message}\n{failure.text}"):
        return Leftover.HOST_REGISTRATION
    rule = rule_of(failure)
    if rule is None:
        return None
    if rule.family == OUT_OF_MEMORY and rule.kind != "host":
        return Leftover.DEVICE_MEMORY
    return Leftover.CUDA_ERROR if rule.family == STICKY_CUDA else None
