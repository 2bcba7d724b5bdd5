"""Waits that are there and order something else than what is read.

A ring that waits for the consumer of one round too early; a flag that the host polls in pinned memory, copied on
another stream than the data it speaks for; streams of a pool that hand stages on to each other without a word.
Each is inside one phase and within the code's own order: ordering bugs. The twins wait for the right thing.
"""

from __future__ import annotations

import pytest

from kvrace_tests.offload.streams import Streams

TRUTH = {
    "test_ring_waits_one_round_short": "ordering-bug",
    "test_flag_of_another_stream": "ordering-bug",
    "test_turns_of_a_pool": "ordering-bug",
    "test_ring_waits_for_its_slot": "healthy",
    "test_flag_of_the_same_stream": "healthy",
    "test_ordered_turns_of_a_pool": "healthy",
}

SIZE = 32
SLOTS = 3
ROUNDS = 12
TURNS = 6


def _run_ring(device: Streams, lag: int) -> int:
    ring, seen = device.device_buffer(SLOTS, SIZE), device.device_buffer(ROUNDS, SIZE)
    producer = device.new_stream("producer")
    consumer = device.new_stream("consumer")
    consumed = [device.new_event() for _ in range(ROUNDS)]
    for i in range(ROUNDS):
        if i >= lag:
            producer.wait(consumed[i - lag])
        producer.fill(ring, i + 1, [i % SLOTS])
        produced = device.new_event()
        producer.record(produced)
        consumer.wait(produced)
        consumer.sleep(0.05)
        consumer.copy(seen, ring, [(i % SLOTS, i)])
        consumer.record(consumed[i])
    rows = consumer.read(seen)
    return sum(rows[i * SIZE : (i + 1) * SIZE] != bytes([i + 1]) * SIZE for i in range(ROUNDS))


@pytest.mark.stream
def test_ring_waits_one_round_short(device: Streams) -> None:
    wrong = _run_ring(device, SLOTS + 1)
    assert wrong == 0, f"{wrong} rounds read another round's data"


@pytest.mark.stream
def test_ring_waits_for_its_slot(device: Streams) -> None:
    wrong = _run_ring(device, SLOTS)
    assert wrong == 0, f"{wrong} rounds read another round's data"


def _flagged(device: Streams, *, same: bool) -> bytes:
    data, one = device.device_buffer(1, SIZE), device.device_buffer(1, SIZE)
    pinned, flag = device.host_buffer(1, SIZE), device.host_buffer(1, SIZE)
    data_stream = device.new_stream("data")
    flag_stream = device.new_stream("flag")
    flag_stream.fill(one, 1)
    flag_stream.synchronize()
    data_stream.fill(data, 9)
    data_stream.copy(pinned, data, [(0, 0)])
    (data_stream if same else flag_stream).copy(flag, one, [(0, 0)])
    assert device.wait_until(lambda: flag.peek(0)[-1] == 1, 30.0), "the flag was never set"
    seen = pinned.peek(0)
    device.synchronize()
    return seen


@pytest.mark.stream
def test_flag_of_another_stream(device: Streams) -> None:
    seen = _flagged(device, same=False)
    assert seen == bytes([9]) * SIZE, "the flag was there before the data"


@pytest.mark.stream
def test_flag_of_the_same_stream(device: Streams) -> None:
    seen = _flagged(device, same=True)
    assert seen == bytes([9]) * SIZE, "the flag was there before the data"


def _take_turns(device: Streams, *, ordered: bool) -> bytes:
    pool = [device.new_stream(f"pool {i}") for i in range(3)]
    stages = device.device_buffer(TURNS + 1, SIZE)
    pool[0].fill(stages, 0)
    pool[0].fill(stages, 1, [0])
    pool[0].synchronize()
    for turn in range(TURNS):
        before, here = pool[(turn - 1) % 3], pool[turn % 3]
        if ordered and turn:
            handed = device.new_event()
            before.record(handed)
            here.wait(handed)
        device.host_sleep(0.0002)
        here.copy(stages, stages, [(turn, turn + 1)])
    device.synchronize()
    return pool[0].read(stages)[-SIZE:]


@pytest.mark.stream
def test_turns_of_a_pool(device: Streams) -> None:
    last = _take_turns(device, ordered=False)
    assert last == bytes([1]) * SIZE, "a stage was skipped"


@pytest.mark.stream
def test_ordered_turns_of_a_pool(device: Streams) -> None:
    last = _take_turns(device, ordered=True)
    assert last == bytes([1]) * SIZE, "a stage was skipped"
