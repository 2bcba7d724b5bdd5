"""Streams that are made in one place, and a wait that is missing between two of them.

Slowing all streams of a place alike moves nothing against anything: one of them must be slowed alone to show the bug.
An ordering bug, in the list of streams as in the pair; the twin waits.
"""

from __future__ import annotations

import pytest

from kvrace_tests.offload.streams import Streams

TRUTH = {
    "test_listed_streams_without_a_wait": "ordering-bug",
    "test_event_recorded_before_the_work": "ordering-bug",
    "test_listed_streams_with_a_wait": "healthy",
}

SIZE = 32
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
