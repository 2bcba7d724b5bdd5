"""Phases that end with a wait which covers a part of their work: an event recorded too early, or asked too early.

The wait looks like the drain that it should be, and what was launched after the record stays queued and runs into the
next phase: cross-phase contamination, leaked by the test. In the twins the event is recorded last, or the stream itself
is asked.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kvrace_tests.offload.streams import DeviceBuffer, Event, HostBuffer, Stream, Streams

TRUTH = {
    "test_drain_by_an_early_event": "cross-phase-contamination",
    "test_drain_by_asking_an_early_event": "cross-phase-contamination",
    "test_drain_by_the_last_event": "healthy",
    "test_drain_by_asking_the_stream": "healthy",
}
LEAKER = "test"
LEAKING_STREAM = "writes"

SIZE = 32
ROUNDS = 30
WRITE_MS = 20.0

Drain = Callable[[Streams, Stream, Event, Event], None]


def _stale(
    device: Streams, first_value: int, drain: Drain, *, barrier: bool, buffers: tuple[DeviceBuffer, HostBuffer]
) -> int:
    data, saved = buffers
    writes = device.new_stream("writes")
    copies = device.new_stream("copies")
    early, written = device.new_event(), device.new_event()
    stale = 0
    for i in range(ROUNDS):
        writes.sleep(WRITE_MS)
        writes.fill(data, first_value + i)
        writes.record(written)
        if i == 1:
            writes.record(early)
        if barrier:
            copies.wait(written)
        copies.copy(saved, data, [(0, 0)])
        copies.synchronize()
        stale += saved.peek(0) != bytes([first_value + i]) * SIZE
    drain(device, writes, early, written)
    return stale


def _both_phases(device: Streams, drain: Drain) -> tuple[int, int]:
    buffers = device.device_buffer(1, SIZE), device.host_buffer(1, SIZE)
    control = _stale(device, 1, drain, barrier=False, buffers=buffers)
    fixed = _stale(device, 101, drain, barrier=True, buffers=buffers)
    return control, fixed


def _ask(device: Streams, done: Callable[[], bool]) -> None:
    assert device.wait_until(done, 30.0), "asked for half a minute"


@pytest.mark.stream
def test_drain_by_an_early_event(device: Streams) -> None:
    control, fixed = _both_phases(device, lambda _device, _writes, early, _written: early.synchronize())
    assert control > 0, "vacuous control: saving without the barrier never raced"
    assert fixed == 0, f"{fixed} saves were stale in spite of the barrier"


@pytest.mark.stream
def test_drain_by_asking_an_early_event(device: Streams) -> None:
    control, fixed = _both_phases(device, lambda device, _writes, early, _written: _ask(device, early.query))
    assert control > 0, "vacuous control: saving without the barrier never raced"
    assert fixed == 0, f"{fixed} saves were stale in spite of the barrier"


@pytest.mark.stream
def test_drain_by_the_last_event(device: Streams) -> None:
    control, fixed = _both_phases(device, lambda _device, _writes, _early, written: written.synchronize())
    assert control > 0, "vacuous control: saving without the barrier never raced"
    assert fixed == 0, f"{fixed} saves were stale in spite of the barrier"


@pytest.mark.stream
def test_drain_by_asking_the_stream(device: Streams) -> None:
    control, fixed = _both_phases(device, lambda device, writes, _early, _written: _ask(device, writes.query))
    assert control > 0, "vacuous control: saving without the barrier never raced"
    assert fixed == 0, f"{fixed} saves were stale in spite of the barrier"
