"""The store race test with its barrier removed: the phase that claims to wait does not.

Each phase drains its own compute, so nothing is left over; the copy races the fill of its own iteration whatever was
drained before, and does not once nothing runs concurrently: an ordering bug. The twin keeps the barrier.
"""

from __future__ import annotations

import pytest

from kvrace_tests.offload.backend import EventSlots, OffloadBackend
from kvrace_tests.offload.streams import Event, Streams

TRUTH = {
    "test_store_without_barrier_saves_what_was_computed": "ordering-bug",
    "test_store_with_barrier_saves_what_was_computed": "healthy",
}

BLOCKS = 2
SIZE = 32
TURNS = 10
COMPUTE_MS = 25.0


def _drive_store(device: Streams, first_value: int, *, with_barrier: bool) -> int:
    on_device, on_host = device.device_buffer(BLOCKS, SIZE), device.host_buffer(BLOCKS, SIZE)
    backend = OffloadBackend(device, on_device, on_host)
    compute_stream = device.new_stream("compute")
    events: EventSlots = [None] * TURNS
    corrupt = 0
    for i in range(TURNS):
        compute_stream.sleep(COMPUTE_MS)
        compute_stream.fill(on_device, first_value + i)
        barrier: Event | None = None
        if with_barrier:
            barrier = device.new_event()
            compute_stream.record(barrier)
        backend.launch_copy(range(BLOCKS), range(BLOCKS), True, i, events, barrier)
        backend.wait_enqueued(events, i).synchronize()
        corrupt += any(on_host.peek(block) != bytes([first_value + i]) * SIZE for block in range(BLOCKS))
    compute_stream.synchronize()
    backend.close()
    return corrupt


@pytest.mark.stream
def test_store_without_barrier_saves_what_was_computed(device: Streams) -> None:
    control = _drive_store(device, 1, with_barrier=False)
    fixed = _drive_store(device, 101, with_barrier=False)
    assert control > 0, "vacuous control: the control phase never raced"
    assert fixed == 0, f"store raced compute even with the barrier: {fixed} corrupt"


@pytest.mark.stream
def test_store_with_barrier_saves_what_was_computed(device: Streams) -> None:
    control = _drive_store(device, 1, with_barrier=False)
    fixed = _drive_store(device, 101, with_barrier=True)
    assert control > 0, "vacuous control: the control phase never raced"
    assert fixed == 0, f"store raced compute even with the barrier: {fixed} corrupt"
