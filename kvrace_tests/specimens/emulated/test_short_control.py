"""A control that is quick to end: some milliseconds of work a round, and the copies of both phases on one stream.

The control never waits for its writes, so its end leaves most of them queued. A host that is held up after each of its
waits gives them time to end within the control, and slow copies close its window: only a host that is on time shows
the harm. It is leftover work of a stream that the test made: cross-phase contamination. The twin waits for its writes.
"""

from __future__ import annotations

import pytest

from kvrace_tests.offload.streams import Event, Streams

TRUTH = {
    "test_quick_control_then_barrier": "cross-phase-contamination",
    "test_quick_drained_control_then_barrier": "healthy",
}
LEAKER = "test"
LEAKING_STREAM = "writes"

SIZE = 32
WRITE_MS = 1.5


class Cache:
    """A buffer and its copy in host memory; one stream makes all copies."""

    def __init__(self, device: Streams) -> None:
        self.device = device
        self.data, self.saved = device.device_buffer(1, SIZE), device.host_buffer(1, SIZE)
        self._copies = device.new_stream("copies")

    def save(self, after: Event | None) -> bytes:
        if after is not None:
            self._copies.wait(after)
        self._copies.copy(self.saved, self.data, [(0, 0)])
        self._copies.synchronize()
        return self.saved.peek(0)


def _stale(cache: Cache, values: range, *, barrier: bool, drained: bool) -> int:
    writes = cache.device.new_stream("writes")
    stale = 0
    for value in values:
        writes.sleep(WRITE_MS)
        writes.fill(cache.data, value)
        written = cache.device.new_event()
        writes.record(written)
        stale += cache.save(written if barrier else None) != bytes([value]) * SIZE
    if drained:
        writes.synchronize()
    return stale


@pytest.mark.stream
def test_quick_control_then_barrier(device: Streams) -> None:
    cache = Cache(device)
    control = _stale(cache, range(1, 61), barrier=False, drained=False)
    fixed = _stale(cache, range(101, 113), barrier=True, drained=False)
    assert control > 0, "vacuous control: saving without the barrier never raced"
    assert fixed == 0, f"{fixed} saves were stale in spite of the barrier"


@pytest.mark.stream
def test_quick_drained_control_then_barrier(device: Streams) -> None:
    cache = Cache(device)
    control = _stale(cache, range(1, 61), barrier=False, drained=True)
    fixed = _stale(cache, range(101, 113), barrier=True, drained=True)
    assert control > 0, "vacuous control: saving without the barrier never raced"
    assert fixed == 0, f"{fixed} saves were stale in spite of the barrier"
