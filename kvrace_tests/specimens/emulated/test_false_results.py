"""Results that are wrong by arithmetic or by bookkeeping, with all their waits in place.

Nothing runs unordered, so they fail alike under any timing, alone or after others: broken. The twins are right.
"""

from __future__ import annotations

import pytest

from kvrace_tests.offload.blocks import plan_transfer
from kvrace_tests.offload.streams import Streams

TRUTH = {
    "test_sum_of_two_buffers": "broken",
    "test_every_block_is_saved": "broken",
    "test_plan_of_a_whole_cache": "broken",
    "test_right_sum_of_two_buffers": "healthy",
    "test_every_block_is_really_saved": "healthy",
    "test_plan_of_a_cache": "healthy",
}

BLOCKS = 4
SIZE = 32


def _sum(device: Streams, left: int, right: int) -> bytes:
    first, second = device.device_buffer(1, SIZE), device.device_buffer(1, SIZE)
    stream = device.new_stream("sum")
    stream.fill(first, left)
    stream.fill(second, right)
    stream.add(first, second)
    return stream.read(first)


def _saved_blocks(device: Streams, chosen: range) -> list[bytes]:
    data, saved = device.device_buffer(BLOCKS, SIZE), device.host_buffer(BLOCKS, SIZE)
    compute_stream, save_stream = device.new_stream("compute"), device.new_stream("save")
    computed = device.new_event()
    compute_stream.fill(data, 5)
    compute_stream.record(computed)
    save_stream.wait(computed)
    save_stream.copy(saved, data, [(block, block) for block in chosen])
    save_stream.synchronize()
    return [saved.peek(block) for block in range(BLOCKS)]


@pytest.mark.stream
def test_sum_of_two_buffers(device: Streams) -> None:
    seen = _sum(device, 2, 3)
    assert seen == bytes([6]) * SIZE, "2 and 3 did not add up"


@pytest.mark.stream
def test_every_block_is_saved(device: Streams) -> None:
    saved = _saved_blocks(device, range(BLOCKS - 1))
    assert saved == [bytes([5]) * SIZE] * BLOCKS, "a block was not saved"


@pytest.mark.stream
def test_plan_of_a_whole_cache(device: Streams) -> None:
    _saved_blocks(device, range(BLOCKS))
    plan = plan_transfer(range(BLOCKS), range(1, BLOCKS + 1), source_blocks=BLOCKS, target_blocks=BLOCKS)
    assert len(plan.pairs) == BLOCKS


@pytest.mark.stream
def test_right_sum_of_two_buffers(device: Streams) -> None:
    seen = _sum(device, 200, 100)
    assert seen == bytes([44]) * SIZE, "200 and 100 did not add up, modulo 256"


@pytest.mark.stream
def test_every_block_is_really_saved(device: Streams) -> None:
    saved = _saved_blocks(device, range(BLOCKS))
    assert saved == [bytes([5]) * SIZE] * BLOCKS, "a block was not saved"


@pytest.mark.stream
def test_plan_of_a_cache(device: Streams) -> None:
    _saved_blocks(device, range(BLOCKS))
    plan = plan_transfer(range(BLOCKS), range(BLOCKS), source_blocks=BLOCKS, target_blocks=BLOCKS)
    assert len(plan.pairs) == BLOCKS
