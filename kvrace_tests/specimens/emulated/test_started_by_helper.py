"""A helper settles the device, launches a write and returns; whoever calls it must order what reads the write.

Its wait comes before its launch and claims nothing about it: to leave the write in flight is what the helper is for.
One caller forgets the order: an ordering bug, and no leak. The twins wait for the event that they are given, or read on
the stream that writes.
"""

from __future__ import annotations

import pytest

from kvrace_tests.offload.streams import DeviceBuffer, Event, Stream, Streams

TRUTH = {
    "test_reader_does_not_wait_for_what_was_started": "ordering-bug",
    "test_reader_waits_for_what_was_started": "healthy",
    "test_writer_reads_what_was_started": "healthy",
}

SIZE = 32
PAUSE = 0.0003
"""Seconds the host is busy in between: by itself the bug does not bite."""


def _start(device: Streams, writer: Stream, data: DeviceBuffer) -> Event:
    device.synchronize()
    written = device.new_event()
    writer.fill(data, 7)
    writer.record(written)
    return written


@pytest.mark.stream
def test_reader_does_not_wait_for_what_was_started(device: Streams) -> None:
    data, seen = device.device_buffer(1, SIZE), device.device_buffer(1, SIZE)
    writer = device.new_stream("writer")
    reader = device.new_stream("reader")
    reader.fill(seen, 0)
    _start(device, writer, data)
    device.host_sleep(PAUSE)
    reader.copy(seen, data, [(0, 0)])
    assert reader.read(seen) == bytes([7]) * SIZE, "the reader overtook the writer"


@pytest.mark.stream
def test_reader_waits_for_what_was_started(device: Streams) -> None:
    data, seen = device.device_buffer(1, SIZE), device.device_buffer(1, SIZE)
    writer = device.new_stream("writer")
    reader = device.new_stream("reader")
    reader.fill(seen, 0)
    reader.wait(_start(device, writer, data))
    reader.copy(seen, data, [(0, 0)])
    assert reader.read(seen) == bytes([7]) * SIZE, "the reader overtook the writer"


@pytest.mark.stream
def test_writer_reads_what_was_started(device: Streams) -> None:
    data = device.device_buffer(1, SIZE)
    writer = device.new_stream("writer")
    _start(device, writer, data)
    assert writer.read(data) == bytes([7]) * SIZE, "the writer read something else"
