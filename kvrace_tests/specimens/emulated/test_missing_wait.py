"""A side stream reads what another stream writes, and nobody told it to wait.

All statements stand in the test itself. The writer is quick and the reader is enqueued late, so it never shows until
the writer is slowed down. The second test reads an unrelated buffer in between, a synchronization of another stream
that orders nothing here: whoever drained the whole device there would hide the bug. Leaving work to later statements is
what streams are for; the missing order is between two of them: ordering bugs. The twin waits.
"""

from __future__ import annotations

import pytest

from kvrace_tests.offload.streams import Streams

TRUTH = {
    "test_side_stream_copies_result": "ordering-bug",
    "test_side_stream_copies_result_after_unrelated_read": "ordering-bug",
    "test_waiting_side_stream_copies_result": "healthy",
}

SIZE = 32


@pytest.mark.stream
def test_side_stream_copies_result(device: Streams) -> None:
    data, copied = device.device_buffer(1, SIZE), device.device_buffer(1, SIZE)
    writer = device.new_stream("writer")
    reader = device.new_stream("reader")
    writer.fill(data, 5)
    reader.copy(copied, data, [(0, 0)])
    seen = reader.read(copied)
    assert seen == bytes([5]) * SIZE, "the copy is not what was written"


@pytest.mark.stream
def test_side_stream_copies_result_after_unrelated_read(device: Streams) -> None:
    data, copied, other = (device.device_buffer(1, SIZE) for _ in range(3))
    writer = device.new_stream("writer")
    reader = device.new_stream("reader")
    logger = device.new_stream("logger")
    logger.fill(other, 1)
    writer.fill(data, 5)
    progress = logger.read(other)
    reader.copy(copied, data, [(0, 0)])
    seen = reader.read(copied)
    assert progress == bytes([1]) * SIZE, "the progress counter is wrong"
    assert seen == bytes([5]) * SIZE, "the copy is not what was written"


@pytest.mark.stream
def test_waiting_side_stream_copies_result(device: Streams) -> None:
    data, copied = device.device_buffer(1, SIZE), device.device_buffer(1, SIZE)
    writer = device.new_stream("writer")
    reader = device.new_stream("reader")
    written = device.new_event()
    writer.fill(data, 5)
    writer.record(written)
    reader.wait(written)
    reader.copy(copied, data, [(0, 0)])
    seen = reader.read(copied)
    assert seen == bytes([5]) * SIZE, "the copy is not what was written"
