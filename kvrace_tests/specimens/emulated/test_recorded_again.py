"""One event serves two producers: the second records it again before the consumer of the first has waited.

The consumer then waits for the quick producer and reads the slow one's block too early. Each wait is there, it follows
the wrong record: an ordering bug. The twin has an event for each producer.
"""

from __future__ import annotations

import pytest

from kvrace_tests.offload.streams import Streams

TRUTH = {
    "test_consumer_follows_both_producers": "ordering-bug",
    "test_consumer_follows_both_producers_by_two_events": "healthy",
}

SIZE = 32


def _produce_and_consume(device: Streams, *, events: int) -> bytes:
    slow = device.new_stream("slow")
    quick = device.new_stream("quick")
    consumer = device.new_stream("consumer")
    data, result = device.device_buffer(2, SIZE), device.device_buffer(2, SIZE)
    pool = [device.new_event() for _ in range(events)]
    slow.sleep(3.0)
    slow.fill(data, 4, [0])
    slow.record(pool[0])
    quick.fill(data, 4, [1])
    quick.record(pool[-1])
    for event in pool:
        consumer.wait(event)
    consumer.copy(result, data, [(0, 0), (1, 1)])
    return consumer.read(result)


@pytest.mark.stream
def test_consumer_follows_both_producers(device: Streams) -> None:
    seen = _produce_and_consume(device, events=1)
    assert seen == bytes([4]) * (2 * SIZE), "a block was consumed before it was produced"


@pytest.mark.stream
def test_consumer_follows_both_producers_by_two_events(device: Streams) -> None:
    seen = _produce_and_consume(device, events=2)
    assert seen == bytes([4]) * (2 * SIZE), "a block was consumed before it was produced"
