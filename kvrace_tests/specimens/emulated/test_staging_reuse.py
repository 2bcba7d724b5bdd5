"""A page-locked staging buffer is rewritten in a loop while the copy of the turn before still reads it.

Host and device disagree inside one loop, one statement, whatever was drained before it: an ordering bug. The twin
waits for the copy before it writes again.
"""

from __future__ import annotations

import pytest

from kvrace_tests.offload.streams import Streams

TRUTH = {
    "test_staged_blocks_arrive": "ordering-bug",
    "test_staged_blocks_arrive_in_turn": "healthy",
}

BLOCKS = 8
SIZE = 32
EXPECTED = b"".join(bytes([block + 1]) * SIZE for block in range(BLOCKS))


@pytest.mark.stream
def test_staged_blocks_arrive(device: Streams) -> None:
    data, staging = device.device_buffer(BLOCKS, SIZE), device.host_buffer(1, SIZE)
    upload_stream = device.new_stream("upload")
    for block in range(BLOCKS):
        staging.poke(0, block + 1)
        upload_stream.copy(data, staging, [(0, block)])
    seen = upload_stream.read(data)
    assert seen == EXPECTED, "a block holds what was staged for another"


@pytest.mark.stream
def test_staged_blocks_arrive_in_turn(device: Streams) -> None:
    data, staging = device.device_buffer(BLOCKS, SIZE), device.host_buffer(1, SIZE)
    upload_stream = device.new_stream("upload")
    sent = device.new_event()
    for block in range(BLOCKS):
        sent.synchronize()
        staging.poke(0, block + 1)
        upload_stream.copy(data, staging, [(0, block)])
        upload_stream.record(sent)
    seen = upload_stream.read(data)
    assert seen == EXPECTED, "a block holds what was staged for another"
