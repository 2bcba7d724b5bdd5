"""A collective adds partial sums that their producers may still be writing; and a copy that sometimes comes too early.

The collective's stream waits for nobody. The second test's producer is a little slower than the call that enqueues the
copy, so it fails now and then by itself. Both miss a wait inside one phase, which no draining between statements
supplies: ordering bugs. The twins wait for each producer.
"""

from __future__ import annotations

import pytest

from kvrace_tests.offload.streams import Streams

TRUTH = {
    "test_partial_sums_add_up": "ordering-bug",
    "test_copy_of_a_slower_result": "ordering-bug",
    "test_partial_sums_that_are_waited_for_add_up": "healthy",
    "test_copy_that_waits_for_a_slower_result": "healthy",
}

SIZE = 32


def _sum_parts(device: Streams, *, ordered: bool) -> bytes:
    total = device.device_buffer(1, SIZE)
    collective = device.new_stream("collective")
    collective.fill(total, 0)
    parts = [device.device_buffer(1, SIZE) for _ in range(3)]
    for number, part in enumerate(parts):
        producer = device.new_stream("producer")
        producer.fill(part, number + 1)
        if ordered:
            produced = device.new_event()
            producer.record(produced)
            collective.wait(produced)
        collective.add(total, part)
    return collective.read(total)


def _copy_result(device: Streams, *, ordered: bool) -> bytes:
    data, copied = device.device_buffer(1, SIZE), device.device_buffer(1, SIZE)
    producer, consumer = device.new_stream("producer"), device.new_stream("consumer")
    producer.sleep(0.024)
    producer.fill(data, 4)
    if ordered:
        produced = device.new_event()
        producer.record(produced)
        consumer.wait(produced)
    consumer.copy(copied, data, [(0, 0)])
    return consumer.read(copied)


@pytest.mark.stream
def test_partial_sums_add_up(device: Streams) -> None:
    seen = _sum_parts(device, ordered=False)
    assert seen == bytes([6]) * SIZE, "a part was added before it was there"


@pytest.mark.stream
def test_copy_of_a_slower_result(device: Streams) -> None:
    seen = _copy_result(device, ordered=False)
    assert seen == bytes([4]) * SIZE, "the copy came before the result"


@pytest.mark.stream
def test_partial_sums_that_are_waited_for_add_up(device: Streams) -> None:
    seen = _sum_parts(device, ordered=True)
    assert seen == bytes([6]) * SIZE, "a part was added before it was there"


@pytest.mark.stream
def test_copy_that_waits_for_a_slower_result(device: Streams) -> None:
    seen = _copy_result(device, ordered=True)
    assert seen == bytes([4]) * SIZE, "the copy came before the result"
