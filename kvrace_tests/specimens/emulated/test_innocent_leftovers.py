"""Tests that leave work in flight and fail for another reason, or not at all.

The leftover writes are on memory that nobody else touches. One test fails by chance and one every time; neither has to
do with the leftover: flaky and broken. The others pass: work in flight is not yet harm, and a phase that left work on
the very stream which the next one uses is in order.
"""

from __future__ import annotations

import random

import pytest

from kvrace_tests.offload.streams import DeviceBuffer, Streams

TRUTH = {
    "test_chance_beside_leftover_work": "flaky",
    "test_wrong_sum_beside_leftover_work": "broken",
    "test_right_sum_beside_leftover_work": "healthy",
    "test_leftover_work_on_the_same_streams": "healthy",
}

SIZE = 32
CHANCE = random.SystemRandom()


def _leave(device: Streams, own: DeviceBuffer) -> None:
    """The memory is the caller's to keep: once forgotten, it would be the next buffer's."""
    training = device.new_stream("training")
    started = device.new_event()
    training.fill(own, 1)
    training.record(started)
    for _ in range(20):
        training.sleep(3.0)
        training.fill(own, 2)
    started.synchronize()


def _sum(device: Streams) -> bytes:
    one, total = device.device_buffer(1, SIZE), device.device_buffer(1, SIZE)
    here, there = device.new_stream("here"), device.new_stream("there")
    here.fill(one, 1)
    here.fill(total, 0)
    for _ in range(4):
        added = device.new_event()
        here.add(total, one)
        here.record(added)
        there.wait(added)
        here, there = there, here
    return here.read(total)


@pytest.mark.stream
def test_chance_beside_leftover_work(device: Streams) -> None:
    weights = device.device_buffer(1, SIZE)
    _leave(device, weights)
    total = _sum(device)
    assert total == bytes([4]) * SIZE, "an addition is missing"
    assert CHANCE.random() < 0.5, "the service did not answer"


@pytest.mark.stream
def test_wrong_sum_beside_leftover_work(device: Streams) -> None:
    weights = device.device_buffer(1, SIZE)
    _leave(device, weights)
    total = _sum(device)
    assert total == bytes([5]) * SIZE, "an addition is missing"


@pytest.mark.stream
def test_right_sum_beside_leftover_work(device: Streams) -> None:
    weights = device.device_buffer(1, SIZE)
    _leave(device, weights)
    total = _sum(device)
    assert total == bytes([4]) * SIZE, "an addition is missing"


@pytest.mark.stream
def test_leftover_work_on_the_same_streams(device: Streams) -> None:
    data, saved = device.device_buffer(1, SIZE), device.host_buffer(1, SIZE)
    writes, copies = device.new_stream("writes"), device.new_stream("copies")

    def stale(values: range, *, barrier: bool) -> int:
        wrong = 0
        for value in values:
            writes.sleep(10.0)
            writes.fill(data, value)
            if barrier:
                written = device.new_event()
                writes.record(written)
                copies.wait(written)
            copies.copy(saved, data, [(0, 0)])
            copies.synchronize()
            wrong += saved.peek(0) != bytes([value]) * SIZE
        return wrong

    control = stale(range(1, 31), barrier=False)
    fixed = stale(range(101, 109), barrier=True)
    assert control > 0, "vacuous control: saving without the barrier never raced"
    assert fixed == 0, f"{fixed} saves were stale in spite of the barrier"
