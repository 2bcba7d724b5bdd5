"""Judges a case by two witnesses: the contents of its blocks, and what its trace says of their order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from kvrace_tests.harness.detector import Race, races
from kvrace_tests.harness.emulator import Emulator
from kvrace_tests.offload.ordering import Edge
from kvrace_tests.offload.streams import Streams

VACUOUS = "vacuous control: the control phase never raced"


class Half(Protocol):
    """What a phase came to."""

    @property
    def wrong(self) -> int:
        """Wrong blocks."""

    @property
    def checked(self) -> int:
        """Blocks looked at."""

    @property
    def residual_ms(self) -> float:
        """How long its streams still ran after its last check."""

    @property
    def seconds(self) -> float:
        """How long it took."""


@dataclass(frozen=True)
class Logical:
    """The races that a trace shows, by the phase in which they were completed."""

    control: list[Race]
    fixed: list[Race]


class Judge:
    """Compares the halves of one test. Made before the test begins, so that its trace begins there."""

    def __init__(self, device: Streams, record: Callable[[str, object], None]) -> None:
        self._device = device
        self._record = record
        self._mark = len(device.run.trace.entries) if isinstance(device, Emulator) else 0

    def __call__(self, edge: Edge, control: Half, fixed: Half, *, guard: str) -> None:
        """Fail unless dropping ``edge`` raced and keeping it did not; ``guard`` begins the message of a real race."""
        __tracebackhide__ = True
        self._record("kvrace.edge", edge.label)
        self._record("kvrace.control", f"{control.wrong}/{control.checked}")
        self._record("kvrace.fixed", f"{fixed.wrong}/{fixed.checked}")
        self._record("kvrace.residual_ms", f"{control.residual_ms:.3f}")
        # Detection power: how many wrong blocks a second on the device buys.
        self._record("kvrace.control_seconds", f"{control.seconds:.4f}")
        self._record("kvrace.power", f"{control.wrong / control.seconds:.1f}")
        assert fixed.wrong == 0, f"{guard}: {fixed.wrong} corrupt"
        logical = self._logical()
        if logical is not None:
            self._record("kvrace.logical", f"control {len(logical.control)}, fixed {len(logical.fixed)}")
            if logical.control:
                self._record("kvrace.race", f"without {edge.label}: {logical.control[0]}")
            assert not logical.fixed, f"{guard}, though no byte showed it: {logical.fixed[0]}"
        assert control.wrong > 0, VACUOUS
        if logical is not None:
            hazards = {race.hazard for race in logical.control}
            assert edge.value.hazard in hazards, (
                f"the witnesses disagree: {control.wrong} blocks were corrupt without {edge.label}, "
                f"but the trace shows {sorted(hazard.value for hazard in hazards) or 'no race'}"
            )

    def _logical(self) -> Logical | None:
        if not isinstance(self._device, Emulator):
            return None
        found = races(self._device.run.trace.since(self._mark))
        return Logical(
            [race for race in found if race.then.phase == "control"],
            [race for race in found if race.then.phase == "fixed"],
        )
