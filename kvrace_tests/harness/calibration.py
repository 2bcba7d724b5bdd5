"""How long this device must hold a producer back for an unordered consumer to overtake it: measured, not assumed.

It hangs on the host as much as on the device, so the longest way that a case takes is gone and timed: a background
thread is woken, enqueues waits and a copy, and the host waits for the copy and reads. The measurement sees the machine
as it is now; a machine that gets busy later can still close a window, and a case that meets that says so.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from kvrace_tests.harness.memory import UNDEFINED
from kvrace_tests.offload.streams import DeviceBuffer, Event, HostBuffer, Stream, Streams, Worker

SAMPLES = 32
"""A later round is slower than all of these once in 33 times, if nothing changes; a control has six rounds."""
MARGIN = 2.0
"""Times the slowest sample: a machine may get busier."""
SHORTEST_MS = 10.0
"""Two delays of 5 ms: so much can the interpreter's lock cost a thread, and a tool that stalls whoever had to wait."""
LONGEST_MS = 30.0
"""The cases hold some 130 windows open: together 4 s at the most, however slow the machine."""
STEP_MS = 5.0
"""Rounded up to a multiple, so that one device has one window and not another in each run."""

_BLOCKS, _BLOCK_BYTES = 4, 256
_ENQUEUED_SECONDS = 10.0


@dataclass(frozen=True)
class Window:
    """How long to hold a producer back, and why that long."""

    ms: float
    """Milliseconds."""
    slowest_ms: float
    """What the slowest sample took."""
    samples: int

    @property
    def narrow(self) -> bool:
        """Whether more was wanted than the suite can afford: a control may then not race."""
        return self.slowest_ms * MARGIN > self.ms

    def __str__(self) -> str:
        why = f"the slowest of {self.samples} unordered copies took {self.slowest_ms:.2f} ms"
        if self.narrow:
            why += "; no longer one is tried, so on a machine this slow a control may be vacuous"
        return f"window {self.ms:g} ms ({why})"


class Calibrated(Streams, Protocol):
    """A device that knows why its window is that long."""

    @property
    def window(self) -> Window:
        """Behind ``window_ms``."""


def chosen(samples_ms: list[float]) -> Window:
    """The window that outlasts each of these with a margin, within the bounds."""
    slowest = max(samples_ms)
    wanted = math.ceil(slowest * MARGIN / STEP_MS) * STEP_MS
    return Window(min(max(wanted, SHORTEST_MS), LONGEST_MS), slowest, len(samples_ms))


def measure(device: Streams, consumer: Stream) -> Window:
    """Time an idle device; ``consumer`` is a stream of it that nothing else uses."""
    with _course(device, consumer) as course:
        course.run()  # not counted: the thread and the copy are used for the first time
        samples: list[float] = []
        while len(samples) < SAMPLES and max(samples, default=0.0) * MARGIN < LONGEST_MS:
            samples.append(course.run())
    return chosen(samples)


@dataclass(frozen=True)
class _Course:
    """What is timed."""

    device: Streams
    consumer: Stream
    data: DeviceBuffer
    saved: HostBuffer
    worker: Worker

    def run(self) -> float:
        """Milliseconds from the producer's last call to the consumer's last byte."""
        slot: list[Event] = []
        began = self.device.now()
        produced = self.device.new_event()
        # The memory is handed out again; what is in it then must look like nothing that anybody wrote.
        self.device.default_stream.fill(self.data, UNDEFINED)
        self.device.default_stream.record(produced)
        self.worker.submit(lambda: self._enqueue(produced, slot))
        self.device.wait_until(lambda: bool(slot) or self.worker.error is not None, _ENQUEUED_SECONDS)
        if not slot:
            raise TimeoutError(f"a copy was not enqueued within {_ENQUEUED_SECONDS:g} s") from self.worker.error
        slot[0].synchronize()
        self.consumer.read(self.data)
        return (self.device.now() - began) * 1_000

    def _enqueue(self, produced: Event, slot: list[Event]) -> None:
        self.consumer.wait(produced)
        self.consumer.wait(produced)
        self.consumer.copy(self.saved, self.data, [(block, block) for block in range(_BLOCKS)])
        done = self.device.new_event()
        self.consumer.record(done)
        slot.append(done)


@contextmanager
def _course(device: Streams, consumer: Stream) -> Iterator[_Course]:
    data, saved = device.device_buffer(_BLOCKS, _BLOCK_BYTES), device.host_buffer(_BLOCKS, _BLOCK_BYTES)
    worker = device.worker("calibration")
    try:
        yield _Course(device, consumer, data, saved, worker)
    finally:
        worker.close()
        device.synchronize()
        saved.free()
        data.free()
