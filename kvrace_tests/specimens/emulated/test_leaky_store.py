"""The store race test as it was before its fix, and with it.

``_drive_store`` waits for its own copies only. Without the barrier the copies do not wait for compute, so it returns
with nearly all of its sleeps and fills still queued on its compute stream. They run while the next call drives the same
device block with the barrier, and now and then a left-over fill lands between a fill of that call and its copy. The
barrier is right, and the harm needs work that an earlier statement of the test left behind: the true verdict is
cross-phase contamination, and the leaker is the test, whose stream it is.
"""

from __future__ import annotations

import pytest

from kvrace_tests.offload.backend import EventSlots, OffloadBackend
from kvrace_tests.offload.streams import Streams

TRUTH = {
    "test_store_orders_after_compute_write": "cross-phase-contamination",
    "test_store_drained_orders_after_compute_write": "healthy",
}
LEAKER = "test"
LEAKING_STREAM = "compute_stream"

BLOCKS = 4
BLOCK_BYTES = 64
ITERATIONS = 30
COMPUTE_MS = 25.0


class Cache:
    """The buffers that both phases use, and the backend between them."""

    def __init__(self, device: Streams) -> None:
        self.device = device
        self.on_device = device.device_buffer(BLOCKS, BLOCK_BYTES)
        self.on_host = device.host_buffer(BLOCKS, BLOCK_BYTES)
        self.backend = OffloadBackend(device, self.on_device, self.on_host)


def _drive_store(cache: Cache, first_value: int, *, with_barrier: bool, drained: bool = False) -> int:
    device = cache.device
    compute_stream = device.new_stream("compute_stream")
    events: EventSlots = [None] * ITERATIONS
    every = range(BLOCKS)
    corrupt = 0
    for i in range(ITERATIONS):
        value = first_value + i
        compute_stream.sleep(COMPUTE_MS)
        compute_stream.fill(cache.on_device, value)
        barrier = device.new_event()
        compute_stream.record(barrier)
        cache.backend.launch_copy(every, every, True, i, events, barrier if with_barrier else None)
        cache.backend.wait_enqueued(events, i).synchronize()
        expected = bytes([value]) * BLOCK_BYTES
        corrupt += any(cache.on_host.peek(block) != expected for block in every)
    if drained:
        compute_stream.synchronize()
    return corrupt


@pytest.mark.stream
def test_store_orders_after_compute_write(device: Streams) -> None:
    cache = Cache(device)
    control = _drive_store(cache, 1, with_barrier=False)
    fixed = _drive_store(cache, 101, with_barrier=True)
    cache.backend.close()
    assert control > 0, "vacuous control: the control phase never raced"
    assert fixed == 0, f"store raced compute even with the barrier: {fixed} corrupt"


@pytest.mark.stream
def test_store_drained_orders_after_compute_write(device: Streams) -> None:
    cache = Cache(device)
    control = _drive_store(cache, 1, with_barrier=False, drained=True)
    fixed = _drive_store(cache, 101, with_barrier=True, drained=True)
    cache.backend.close()
    assert control > 0, "vacuous control: the control phase never raced"
    assert fixed == 0, f"store raced compute even with the barrier: {fixed} corrupt"
