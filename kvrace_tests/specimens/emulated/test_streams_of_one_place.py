"""Streams that are made in one place, and a wait that is missing between two of them.

Slowing all streams of a place alike moves nothing against anything: one of them must be slowed alone to show the bug.
An ordering bug, in the list of streams as in the pair, and in the pool whose last stream waits for all others but one;
the twins wait.
"""

from __future__ import annotations

import pytest

from kvrace_tests.offload.streams import Streams

TRUTH = {
    "test_listed_streams_without_a_wait": "ordering-bug",
    "test_event_recorded_before_the_work": "ordering-bug",
    "test_pool_that_waits_for_all_but_one": "ordering-bug",
    "test_listed_streams_with_a_wait": "healthy",
    "test_pool_that_waits_for_all": "healthy",
}

SIZE = 32
POOL = 8
PAUSE = 0.0002
"""Seconds the host is busy between producer and consumer: by itself the bug does not bite."""


@pytest.mark.stream
def test_listed_streams_without_a_wait(device: Streams) -> None:
    data, copied = device.device_buffer(1, SIZE), device.device_buffer(1, SIZE)
    streams = [device.new_stream(f"stream {number}") for number in range(2)]
    streams[0].fill(data, 5)
    device.host_sleep(PAUSE)
    streams[1].copy(copied, data, [(0, 0)])
    assert streams[1].read(copied) == bytes([5]) * SIZE, "the copy is not what was written"


@pytest.mark.stream
def test_event_recorded_before_the_work(device: Streams) -> None:
    data, copied = device.device_buffer(1, SIZE), device.device_buffer(1, SIZE)
    writer, reader = device.new_stream("writer"), device.new_stream("reader")
    written = device.new_event()
    writer.record(written)
    writer.fill(data, 5)
    reader.wait(written)
    device.host_sleep(PAUSE)
    reader.copy(copied, data, [(0, 0)])
    assert reader.read(copied) == bytes([5]) * SIZE, "the copy is not what was written"


@pytest.mark.stream
def test_listed_streams_with_a_wait(device: Streams) -> None:
    data, copied = device.device_buffer(1, SIZE), device.device_buffer(1, SIZE)
    streams = [device.new_stream(f"stream {number}") for number in range(2)]
    written = device.new_event()
    streams[0].fill(data, 5)
    streams[0].record(written)
    streams[1].wait(written)
    device.host_sleep(PAUSE)
    streams[1].copy(copied, data, [(0, 0)])
    assert streams[1].read(copied) == bytes([5]) * SIZE, "the copy is not what was written"


def _sum_of_pool(device: Streams, forgotten: int | None = None) -> bytes:
    total = device.device_buffer(1, SIZE)
    streams = [device.new_stream(f"stream {number}") for number in range(POOL)]
    last = streams[-1]
    last.fill(total, 0)
    parts, written = [], []
    for stream in streams[:-1]:
        parts.append(device.device_buffer(1, SIZE))
        stream.fill(parts[-1], 1)
        written.append(device.new_event())
        stream.record(written[-1])
    device.host_sleep(PAUSE)
    for number, event in enumerate(written):
        if number != forgotten:
            last.wait(event)
    for part in parts:
        last.add(total, part)
    return last.read(total)


@pytest.mark.stream
def test_pool_that_waits_for_all_but_one(device: Streams) -> None:
    seen = _sum_of_pool(device, forgotten=3)
    assert seen == bytes([POOL - 1]) * SIZE, "a part was added before it was there"


@pytest.mark.stream
def test_pool_that_waits_for_all(device: Streams) -> None:
    seen = _sum_of_pool(device)
    assert seen == bytes([POOL - 1]) * SIZE, "a part was added before it was there"
