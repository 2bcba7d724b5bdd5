"""A helper of the test prefetches two blocks and waits for the first one only.

The second copy lands after the next statement has written the block anew. Work of a finished statement disturbs a later
one, and the prefetch stream is made by the test: cross-phase contamination, leaked by the test. It fails every time.
The twin waits for both copies.
"""

from __future__ import annotations

import pytest

from kvrace_tests.offload.streams import DeviceBuffer, HostBuffer, Streams

TRUTH = {
    "test_write_after_prefetch_stays": "cross-phase-contamination",
    "test_write_after_whole_prefetch_stays": "healthy",
}
LEAKER = "test"
LEAKING_STREAM = "prefetch_stream"

SIZE = 32


def _prefetch(device: Streams, data: DeviceBuffer, pinned: HostBuffer, *, whole: bool) -> None:
    prefetch_stream = device.new_stream("prefetch")
    first = device.new_event()
    pinned.poke(0, 7)
    prefetch_stream.copy(data, pinned, [(0, 0)])
    prefetch_stream.record(first)
    prefetch_stream.sleep(30.0)
    prefetch_stream.copy(data, pinned, [(0, 1)])
    first.synchronize()
    if whole:
        prefetch_stream.synchronize()


def _overwrite(device: Streams, data: DeviceBuffer) -> bytes:
    compute_stream = device.new_stream("compute")
    compute_stream.fill(data, 9)
    compute_stream.sleep(60.0)
    return compute_stream.read(data)


@pytest.mark.stream
def test_write_after_prefetch_stays(device: Streams) -> None:
    data, pinned = device.device_buffer(2, SIZE), device.host_buffer(1, SIZE)
    _prefetch(device, data, pinned, whole=False)
    seen = _overwrite(device, data)
    assert seen == bytes([9]) * (2 * SIZE), "a block changed after it was written"


@pytest.mark.stream
def test_write_after_whole_prefetch_stays(device: Streams) -> None:
    data, pinned = device.device_buffer(2, SIZE), device.host_buffer(1, SIZE)
    _prefetch(device, data, pinned, whole=True)
    seen = _overwrite(device, data)
    assert seen == bytes([9]) * (2 * SIZE), "a block changed after it was written"
