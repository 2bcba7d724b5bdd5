"""A buffer is freed while a side stream still reads it, and nobody told the allocator.

The allocator hands the memory out again at once and the new owner writes it. Between a wait of the side stream and its
read nothing but luck keeps the bytes: an ordering bug. The twin records the side stream on the buffer.
"""

from __future__ import annotations

import pytest

from kvrace_tests.offload.streams import Streams

TRUTH = {
    "test_freed_buffer_was_read_before": "ordering-bug",
    "test_recorded_buffer_was_read_before": "healthy",
}

SIZE = 32


def _read_freed(device: Streams, *, recorded: bool) -> bytes:
    home_stream = device.new_stream("home")
    side_stream = device.new_stream("side")
    result = device.device_buffer(1, SIZE)
    buffer = device.device_buffer(1, SIZE, home_stream)
    filled = device.new_event()
    home_stream.sleep(0.5)
    home_stream.fill(buffer, 1)
    home_stream.record(filled)
    side_stream.wait(filled)
    side_stream.copy(result, buffer, [(0, 0)])
    if recorded:
        buffer.record_stream(side_stream)
    buffer.free()
    successor = device.device_buffer(1, SIZE, home_stream)
    home_stream.fill(successor, 2)
    return side_stream.read(result)


@pytest.mark.stream
def test_freed_buffer_was_read_before(device: Streams) -> None:
    seen = _read_freed(device, recorded=False)
    assert seen == bytes([1]) * SIZE, "the side stream read another owner's bytes"


@pytest.mark.stream
def test_recorded_buffer_was_read_before(device: Streams) -> None:
    seen = _read_freed(device, recorded=True)
    assert seen == bytes([1]) * SIZE, "the side stream read another owner's bytes"
