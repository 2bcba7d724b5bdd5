"""An arm: the choice on the four axes under which a test is tried, and its name."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, unique


@unique
class Isolation(str, Enum):
    """What is kept apart while the test runs."""

    DRAINED = "drained"
    """Phase boundaries of the test function are drained."""
    DRAINED_DEEP = "drained-deep"
    """The same inside loops and inside helpers of the suite."""
    SERIALIZED = "serialized"
    """The host waits for the device after each operation and each wait."""


@dataclass(frozen=True)
class Arm:
    """One point on the axes amplifier, isolation, context and remedy. Compares and hashes by value."""

    stretched: bool = False
    """Stalls follow every wait of a stream, and every synchronization of the host unless it is ``hasty``."""
    hasty: bool = False
    """The host is not stalled, so that a phase ends before the work that it leaves; goes with ``stretched``."""
    skewed: str | None = None
    """Name of the one stream that runs slow; excludes ``stretched``."""
    eager: bool = False
    """Kernels are loaded before the trial, so that a first use cannot synchronize; goes with ``skewed``."""
    isolation: Isolation | None = None
    in_order: bool = False
    """The tests that ran before it in its worker run before it, in the same process."""
    patched: bool = False
    """The proposed fix is applied."""

    def __post_init__(self) -> None:
        if self.stretched and self.skewed is not None:
            raise ValueError("an arm has one amplifier: stretched or skewed")

    def __str__(self) -> str:
        parts = [
            "stretched" if self.stretched else "",
            "hasty" if self.hasty else "",
            f"skewed:{self.skewed}" if self.skewed is not None else "",
            "eager" if self.eager else "",
            "in-order" if self.in_order else "",
            self.isolation.value if self.isolation else "",
            "patched" if self.patched else "",
        ]
        return "+".join(part for part in parts if part) or "as-is"

    @classmethod
    def parse(cls, name: str) -> Arm:
        """The arm of that name; ``ValueError`` when a word is not one of ours."""
        arm = cls()
        for word in [] if name == "as-is" else name.split("+"):
            if word == "stretched":
                arm = replace(arm, stretched=True)
            elif word == "hasty":
                arm = replace(arm, hasty=True)
            elif word.startswith("skewed:") and len(word) > len("skewed:"):
                arm = replace(arm, skewed=word.removeprefix("skewed:"))
            elif word == "eager":
                arm = replace(arm, eager=True)
            elif word == "patched":
                arm = replace(arm, patched=True)
            elif word == "in-order":
                arm = replace(arm, in_order=True)
            elif word in {isolation.value for isolation in Isolation}:
                arm = replace(arm, isolation=Isolation(word))
            else:
                raise ValueError(f"no arm is called {name!r}: {word!r} is not a choice on any axis")
        return arm

    @property
    def amplified(self) -> bool:
        """Whether it makes a failure more frequent than it is by itself."""
        return self.stretched or self.skewed is not None

    def with_isolation(self, isolation: Isolation | None) -> Arm:
        """The same arm with another isolation."""
        return replace(self, isolation=isolation)


AS_IS = Arm()
STRETCHED = Arm(stretched=True)
HASTY = Arm(stretched=True, hasty=True)
