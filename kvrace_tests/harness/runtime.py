"""The emulated device as a triage tool sees it: who is busy, how long draining takes, stalls in virtual time.

Answers a tool's questions by shape alone, without importing it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from kvrace_tests.harness.emulator import Emulator
from kvrace_tests.harness.engine import Lane
from kvrace_tests.harness.run import Observer
from kvrace_tests.harness.timing import SECOND


@dataclass(frozen=True)
class EmulatedStreamInfo:
    """A stream and the place that created it."""

    handle: int
    variable: str
    file: str
    line: int
    function: str


@dataclass(frozen=True)
class EmulatedDrain:
    """How long the host waited for a stream."""

    handle: int
    seconds: float
    """Virtual."""


class EmulatedRuntime:
    """One emulated device for the whole process, restarted for each test and each trial."""

    name = "emulated"
    loads_lazily = False

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._ordinal: int | None = None
        self.device = Emulator(self.schedule)

    @property
    def schedule(self) -> str:
        """The text that the device's chance is drawn from: the seed, and the trial if one was begun."""
        return str(self.seed) if self._ordinal is None else f"{self.seed}.{self._ordinal}"

    def start_test(self) -> None:
        """Let the next test draw from the seed anew; what an earlier one left on the device stays."""
        self.device.restart(self.schedule)

    def start_replay(self, seed: int) -> None:
        """Let the next test draw from a seed of its own, on a device with no past."""
        self.seed = seed
        self.device.renew(self.schedule)

    def environment(self) -> Mapping[str, str]:
        """There is no hardware to name."""
        return {"device": "emulated", "seed": self.schedule}

    def begin(self, observer: Observer, *, ordinal: int, launches: bool) -> None:
        """Start a trial; another ordinal is another schedule."""
        self._ordinal = ordinal
        audience = self.device.audience
        audience.observer, audience.launches = observer, launches
        audience.used.clear()
        self.device.restart(self.schedule)

    def streams(self) -> Sequence[EmulatedStreamInfo]:
        """The streams that work entered, in order of first use."""
        return [self._info(handle) for handle in self.device.audience.used]

    def _info(self, handle: int) -> EmulatedStreamInfo:
        site = self.device.sites[handle]
        return EmulatedStreamInfo(handle, site.variable, site.file, site.line, site.function)

    def busy(self) -> Collection[int]:
        """Handles of the streams that have work."""
        return [lane.handle for lane in self.device.lanes if not lane.idle]

    def drain(self, streams: Collection[int]) -> Sequence[EmulatedDrain]:
        """Wait for some streams, one after another."""
        return [EmulatedDrain(handle, self._wait_for(self._lane(handle))) for handle in streams]

    def _wait_for(self, lane: Lane) -> float:
        began = self.device.now()
        self.device.run.reach(self.device.run.record(lane))
        return self.device.now() - began

    def _lane(self, handle: int) -> Lane:
        return next(lane for lane in self.device.lanes if lane.handle == handle)

    def synchronize(self) -> None:
        """Wait for the whole device."""
        self.device.synchronize()

    def stall(self, stream: int, seconds: float) -> None:
        """Enqueue a delay."""
        self.device.occupy(self._lane(stream), int(seconds * SECOND), "stall", told=False)

    def stall_host(self, seconds: float) -> None:
        """Delay the calling thread."""
        self.device.host_sleep(seconds)

    def capturing(self) -> bool:
        """Whether a graph is being captured."""
        return self.device.capturing is not None

    def gaps(self) -> Sequence[str]:
        """Nothing on the emulated device goes unseen."""
        return ()
