"""A test ends with kernels in flight that write a buffer which the module's next test uses.

The first test checks its first result and passes. The second is right and passes alone; after the first it finds bytes
that late kernels wrote, unless the device is drained in between: cross-test contamination by the first test. The last
two tests do the same on a buffer of their own, and wait.
"""

from __future__ import annotations

import pytest

from kvrace_tests.offload.streams import DeviceBuffer, Stream, Streams

TRUTH = {
    "test_first_result_is_there": "healthy",
    "test_results_stay": "cross-test-contamination",
    "test_all_results_are_there": "healthy",
    "test_results_stay_after_all": "healthy",
}
POLLUTER = "test_first_result_is_there"

SIZE = 32
ROUNDS = 40
ROUND_MS = 3.0

_shared: dict[str, DeviceBuffer] = {}


def _buffer(device: Streams, name: str) -> DeviceBuffer:
    if name not in _shared:
        _shared[name] = device.device_buffer(1, SIZE)
    return _shared[name]


def _produce(device: Streams, stream: Stream, data: DeviceBuffer) -> bool:
    first = device.new_event()
    for i in range(ROUNDS):
        stream.sleep(ROUND_MS)
        stream.fill(data, i + 1)
        if i == 0:
            stream.record(first)
    first.synchronize()
    return first.query()


def _changed(device: Streams, data: DeviceBuffer) -> int:
    stream = device.new_stream("check")
    changed = 0
    for i in range(10):
        stream.fill(data, i + 101)
        stream.synchronize()
        device.host_sleep(0.004)
        changed += stream.read(data) != bytes([i + 101]) * SIZE
    return changed


@pytest.mark.stream
def test_first_result_is_there(device: Streams) -> None:
    stream = device.new_stream("produce")
    assert _produce(device, stream, _buffer(device, "left")), "the first result is missing"


@pytest.mark.stream
def test_results_stay(device: Streams) -> None:
    changed = _changed(device, _buffer(device, "left"))
    assert changed == 0, f"{changed} results changed after they were written"


@pytest.mark.stream
def test_all_results_are_there(device: Streams) -> None:
    stream = device.new_stream("produce")
    assert _produce(device, stream, _buffer(device, "waited")), "the first result is missing"
    stream.synchronize()


@pytest.mark.stream
def test_results_stay_after_all(device: Streams) -> None:
    changed = _changed(device, _buffer(device, "waited"))
    assert changed == 0, f"{changed} results changed after they were written"
