"""A device in virtual time: streams, events, buffers, graphs and background workers, all drawn from one seed.

The same seed and the same program give the same trace, byte for byte, background threads included. It does not model
how fast anything is, caches, or races inside one kernel.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache

from kvrace_tests.harness.buffers import EmulatedDeviceBuffer, EmulatedHostBuffer
from kvrace_tests.harness.calibration import Window, measure
from kvrace_tests.harness.engine import Lane
from kvrace_tests.harness.memory import Allocator
from kvrace_tests.harness.run import Audience, DeviceError, Operation, Run
from kvrace_tests.harness.sites import CreationSite, calling_site
from kvrace_tests.harness.streams import EmulatedEvent, EmulatedGraph, EmulatedStream
from kvrace_tests.harness.timing import SECOND, Dice, Nanoseconds, Timing
from kvrace_tests.harness.trace import LaneId, Marked, Opened
from kvrace_tests.harness.worker import EmulatedWorker
from kvrace_tests.offload.streams import IntraKernel, Priority, Stream

CAPACITY = 1 << 20
"""Bytes of device memory: small, so that a test can fill it at no cost."""

NOT_WHILE_CAPTURING = "operation not permitted when stream is capturing"


class Emulator:
    """The emulated answer to ``offload.streams.Streams``."""

    name = "emulated"
    unordered_sources = True

    def __init__(self, seed: str, timing: Timing | None = None, capacity: int = CAPACITY) -> None:
        self.timing = timing or Timing()
        self._capacity = capacity
        self.audience = Audience()
        self.sites: dict[int, CreationSite] = {}
        """Where each stream of this process was made, by handle."""
        self._fresh(seed)

    @property
    def window(self) -> Window:
        """Measured on a device of its own, so that no test's dice are touched: equal for all seeds."""
        return _window(self.timing)

    @property
    def window_ms(self) -> float:
        """See ``Streams``."""
        return self.window.ms

    def _fresh(self, seed: str) -> None:
        self.run = Run(Dice(seed, self.timing), self.audience)
        self.allocator = Allocator(self._capacity)
        self.lanes: list[Lane] = []
        self.registered: set[int] = set()
        """Identities of the program's own memory that is page-locked."""
        self._alive: weakref.WeakSet[object] = weakref.WeakSet()
        default = self._lane(CreationSite("", 0, "", "default"))
        self._default = EmulatedStream(self, default, "default", Priority.NORMAL)
        self.capturing: tuple[Lane, EmulatedGraph] | None = None

    def restart(self, seed: str) -> None:
        """Go on from another seed: as new, unless work or memory of the past is still there, as on a real device."""
        if self.run.sticky or self.registered or self._alive or not self.idle():
            self.run.host.abandon()
            self.run.dice.reseed(seed)
        else:
            self.renew(seed)

    def renew(self, seed: str) -> None:
        """Forget the past, whatever is left of it."""
        self.run.host.abandon()
        self._fresh(seed)

    def idle(self) -> bool:
        """Whether no stream has work left."""
        return all(lane.idle for lane in self.lanes)

    @property
    def default_stream(self) -> Stream:
        """Lane 0; ordered with no other."""
        return self._default

    def new_stream(self, name: str, priority: Priority = Priority.NORMAL) -> EmulatedStream:
        """A stream, remembered by the place that asked for it."""
        stream = EmulatedStream(self, self._lane(calling_site()), name, priority)
        self.run.trace.entries.append(Opened(LaneId(stream.lane.ident), name))
        self._alive.add(stream)
        return stream

    def _lane(self, site: CreationSite) -> Lane:
        lane = Lane(len(self.sites), len(self.lanes))
        self.lanes.append(lane)
        self.sites[lane.handle] = site
        return lane

    def new_event(self) -> EmulatedEvent:
        """An event that counts as complete until it is recorded."""
        return EmulatedEvent(self)

    def device_buffer(self, blocks: int, block_bytes: int, home: Stream | None = None) -> EmulatedDeviceBuffer:
        """Device memory from the caching allocator."""
        lane = self.own(home or self._default).lane
        memory = self.allocator.device(blocks, block_bytes, lane.handle)
        for marker in memory.past:
            self.run.know(marker)
        buffer = EmulatedDeviceBuffer(self, memory, lane)
        self._alive.add(buffer)
        return buffer

    def host_buffer(self, blocks: int, block_bytes: int) -> EmulatedHostBuffer:
        """Page-locked host memory."""
        return EmulatedHostBuffer(self, self.allocator.host(blocks, block_bytes))

    @contextmanager
    def capture(self, stream: Stream) -> Iterator[EmulatedGraph]:
        """Collect what ``stream`` is asked for instead of running it. torch waits for the whole device first."""
        self.synchronize()
        graph = EmulatedGraph()
        self.capturing = (self.own(stream).lane, graph)
        try:
            yield graph
        finally:
            self.capturing = None

    def refuse_while_capturing(self) -> None:
        """Raise if a graph is being captured: nothing may wait or ask then."""
        if self.capturing is not None:
            raise DeviceError(NOT_WHILE_CAPTURING)

    def refuse_in_capture_of(self, lane: Lane) -> None:
        """Raise if this lane is being captured: events inside a graph are not emulated."""
        if self.capturing is not None and self.capturing[0] is lane:
            raise DeviceError("the emulated device captures operations, not events")

    def launch(self, lane: Lane, operation: Operation, *, told: bool = True) -> None:
        """Run an operation, or add it to the graph that its stream captures."""
        if self.capturing is None or self.capturing[0] is not lane:
            self.run.launch(lane, operation, told=told)
        elif operation.early is not None:
            raise DeviceError("an unordered batched copy cannot be captured")
        else:
            self.capturing[1].operations.append(operation)

    def occupy(self, lane: Lane, nanoseconds: Nanoseconds, label: str, *, told: bool = True) -> None:
        """Keep a lane busy, under a name of its own in the trace; untold, it costs the host nothing."""
        price = self.timing.launch if told else (0, 0)
        self.launch(lane, Operation(label, price, lambda dice: dice.sleep(nanoseconds)), told=told)

    def synchronize(self) -> None:
        """The host waits for all lanes."""
        self.refuse_while_capturing()
        self.run.reach(*[self.run.record(lane) for lane in self.lanes])

    def worker(self, name: str) -> EmulatedWorker:
        """A background thread whose turns the seed decides."""
        return EmulatedWorker(self.run, name)

    def wait_until(self, condition: Callable[[], bool], timeout: float) -> bool:
        """Poll in virtual time; no call of the device, so a broken one does not show here."""
        self.run.host.enter()
        return self.run.host.wait_until(condition, int(timeout * SECOND))

    def mark(self, text: str) -> None:
        """Leave a note in the trace."""
        self.run.enter()
        self.run.trace.entries.append(Marked(text))

    def now(self) -> float:
        """Virtual seconds of the calling thread."""
        return self.run.host.enter().clock / SECOND

    def host_sleep(self, seconds: float) -> None:
        """Virtual time passes for the calling thread."""
        self.run.host.enter()
        self.run.host.elapse(int(seconds * SECOND))

    def intra_kernel(self) -> IntraKernel | None:
        """An emulated kernel has no blocks."""
        return None

    def own(self, stream: Stream) -> EmulatedStream:
        """``stream`` as one of this device's."""
        if not isinstance(stream, EmulatedStream) or stream.device is not self:
            raise ValueError(f"{stream!r} is not a stream of this emulated device: make it with new_stream")
        return stream


@lru_cache
def _window(timing: Timing) -> Window:
    device = Emulator("calibration", timing)
    return measure(device, device.new_stream("calibration"))
