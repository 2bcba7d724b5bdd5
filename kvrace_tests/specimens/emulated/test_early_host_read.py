"""The host reads the target of a copy that it has not waited for.

The copy and the read stand in one function with nothing between them, and the read is right as soon as the copy is
done: an ordering bug between device and host. The twin waits for the copy.
"""

from __future__ import annotations

import pytest

from kvrace_tests.offload.streams import Streams

TRUTH = {
    "test_host_sees_copied_block": "ordering-bug",
    "test_waiting_host_sees_copied_block": "healthy",
}

SIZE = 32
COPY_MS = 1.0
"""What a large copy takes: longer than anything that watches the host adds between two of its lines."""


@pytest.mark.stream
def test_host_sees_copied_block(device: Streams) -> None:
    data, pinned = device.device_buffer(1, SIZE), device.host_buffer(1, SIZE)
    stream = device.new_stream("copy")
    stream.fill(data, 6)
    stream.sleep(COPY_MS)
    stream.copy(pinned, data, [(0, 0)])
    seen = pinned.peek(0)
    assert seen == bytes([6]) * SIZE, "the host read the block before it came"


@pytest.mark.stream
def test_waiting_host_sees_copied_block(device: Streams) -> None:
    data, pinned = device.device_buffer(1, SIZE), device.host_buffer(1, SIZE)
    stream = device.new_stream("copy")
    stream.fill(data, 6)
    stream.sleep(COPY_MS)
    stream.copy(pinned, data, [(0, 0)])
    stream.synchronize()
    seen = pinned.peek(0)
    assert seen == bytes([6]) * SIZE, "the host read the block before it came"
