"""One helper computes, the next one stores on a stream of its own and forgets to wait.

``_compute`` leaves its kernels running by design: it does not act as if they were done. That ``_store`` reads without
an order is the bug, wherever the helpers end, so it is an ordering bug and no leak. It shows when compute is slow. The
twin's store waits for compute.
"""

from __future__ import annotations

import pytest

from kvrace_tests.offload.streams import DeviceBuffer, Event, HostBuffer, Stream, Streams

TRUTH = {
    "test_store_helper_saves_result": "ordering-bug",
    "test_waiting_store_helper_saves_result": "healthy",
}

SIZE = 32


def _compute(device: Streams, stream: Stream, data: DeviceBuffer) -> Event:
    computed = device.new_event()
    stream.fill(data, 3)
    stream.record(computed)
    return computed


def _store(device: Streams, data: DeviceBuffer, saved: HostBuffer, after: Event | None) -> None:
    store_stream = device.new_stream("store")
    if after is not None:
        store_stream.wait(after)
    store_stream.copy(saved, data, [(0, 0)])
    store_stream.synchronize()


@pytest.mark.stream
def test_store_helper_saves_result(device: Streams) -> None:
    data, saved = device.device_buffer(1, SIZE), device.host_buffer(1, SIZE)
    compute_stream = device.new_stream("compute")
    _compute(device, compute_stream, data)
    _store(device, data, saved, None)
    assert saved.peek(0) == bytes([3]) * SIZE, "the stored block is not the result"


@pytest.mark.stream
def test_waiting_store_helper_saves_result(device: Streams) -> None:
    data, saved = device.device_buffer(1, SIZE), device.host_buffer(1, SIZE)
    compute_stream = device.new_stream("compute")
    computed = _compute(device, compute_stream, data)
    _store(device, data, saved, computed)
    assert saved.peek(0) == bytes([3]) * SIZE, "the stored block is not the result"
