"""A helper forgets its buffer while a stream still writes it, and the allocator hands the memory to the next one.

The second helper waits for all that it launches, and on its own its sum is right. The writes that disturb it were
launched by an earlier statement of the test: cross-phase contamination, leaked by the test. One twin keeps the buffer,
so that the late writes meet nobody; the other tells the allocator which stream uses it.
"""

from __future__ import annotations

import pytest

from kvrace_tests.offload.streams import DeviceBuffer, Streams

TRUTH = {
    "test_sum_after_forgotten_memory": "cross-phase-contamination",
    "test_sum_beside_kept_memory": "healthy",
    "test_sum_after_recorded_memory": "healthy",
}
LEAKER = "test"
LEAKING_STREAM = "training"

SIZE = 32


def _train(device: Streams, weights: DeviceBuffer, *, recorded: bool = False) -> None:
    training = device.new_stream("training")
    if recorded:
        weights.record_stream(training)
    started = device.new_event()
    training.fill(weights, 1)
    training.record(started)
    for _ in range(20):
        training.sleep(25.0)
        training.fill(weights, 2)
    started.synchronize()


def _sum(device: Streams) -> bytes:
    one, total = device.device_buffer(1, SIZE), device.device_buffer(1, SIZE)
    here, there = device.new_stream("here"), device.new_stream("there")
    here.fill(one, 1)
    here.fill(total, 0)
    for _ in range(24):
        added = device.new_event()
        here.add(total, one)
        here.record(added)
        there.wait(added)
        here, there = there, here
    return here.read(total)


@pytest.mark.stream
def test_sum_after_forgotten_memory(device: Streams) -> None:
    _train(device, device.device_buffer(1, SIZE))
    total = _sum(device)
    assert total == bytes([24]) * SIZE, "an addition is missing"


@pytest.mark.stream
def test_sum_beside_kept_memory(device: Streams) -> None:
    weights = device.device_buffer(1, SIZE)
    _train(device, weights)
    total = _sum(device)
    assert total == bytes([24]) * SIZE, "an addition is missing"


@pytest.mark.stream
def test_sum_after_recorded_memory(device: Streams) -> None:
    _train(device, device.device_buffer(1, SIZE), recorded=True)
    total = _sum(device)
    assert total == bytes([24]) * SIZE, "an addition is missing"
