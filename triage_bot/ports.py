"""What the workflows need of the world: a lab that runs trials, a clock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from triage_bot.core.arms import Arm
from triage_bot.core.findings import Environment
from triage_bot.core.trials import Observation


@dataclass(frozen=True)
class CollectedTest:
    """A test of the suite under triage."""

    node_id: str
    """As pytest prints it, relative to the suite's root."""
    marked_stream: bool
    """Carries the marker ``stream``."""


class Lab(Protocol):
    """Runs one trial at a time, each in a process of its own."""

    def collected(self) -> Sequence[CollectedTest]:
        """Every test of the suite, in collection order. Raises ``LabError`` when the suite cannot be collected."""

    def run(self, node_id: str, arm: Arm, ordinal: int, before: Sequence[str] = ()) -> Observation:
        """One trial of a test under an arm, after ``before`` in the same process. Death and hang are observations."""

    def environment(self) -> Environment:
        """What the trials run on, as the last one told it."""

    def remarks(self) -> Sequence[str]:
        """What a person should know about how trials ran here, e.g. why they could not be forked."""


class Clock(Protocol):
    """Monotonic time, for budgets."""

    def seconds(self) -> float:
        """Seconds since an arbitrary start."""
