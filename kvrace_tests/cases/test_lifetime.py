"""A tensor is freed by its owner while another stream reads it: no ``record_stream`` (write after read)."""

from __future__ import annotations

import pytest

from kvrace_tests.cases.phases import (
    BLOCK_BYTES,
    BLOCKS,
    ROUNDS,
    Judge,
    Phase,
    PhaseResult,
    caches,
    settle,
    wrong_blocks,
)
from kvrace_tests.offload.ordering import KEEP_ALL, Edge, without
from kvrace_tests.offload.streams import Streams

EDGE = Edge.FREE_AFTER_SIDE_READ
NEXT_OWNER = 255
"""What the next tensor holds; no phase uses it as a tag."""


def drive(device: Streams, keep: frozenset[Edge], phase: Phase) -> PhaseResult:
    began = phase.begin(device)
    home_stream = device.new_stream("home_stream")
    side_stream = device.new_stream("side_stream")
    pairs = [(block, block) for block in range(BLOCKS)]
    wrong = 0
    with caches(device, keep) as kv:
        result = device.device_buffer(BLOCKS, BLOCK_BYTES)
        for i in range(ROUNDS):
            tensor = device.device_buffer(BLOCKS, BLOCK_BYTES, home_stream)
            home_stream.fill(tensor, phase.tag(i))
            filled = device.new_event()
            home_stream.record(filled)
            side_stream.wait(filled)
            side_stream.sleep(device.window_ms)
            side_stream.copy(result, tensor, pairs)
            kv.backend.lend(tensor, side_stream)
            tensor.free()
            successor = device.device_buffer(BLOCKS, BLOCK_BYTES, home_stream)
            home_stream.fill(successor, NEXT_OWNER)
            wrong += wrong_blocks(side_stream.read(result), phase.tag(i))
            home_stream.synchronize()
            successor.free()
        residual_ms = settle(device, home_stream, side_stream)
        result.free()
    return PhaseResult(wrong, ROUNDS * BLOCKS, residual_ms, device.now() - began)


@pytest.mark.stream
def test_freed_memory_orders_after_side_read(device: Streams, judge: Judge) -> None:
    control = drive(device, without(EDGE), Phase.CONTROL)
    fixed = drive(device, KEEP_ALL, Phase.FIXED)
    judge(
        EDGE,
        control,
        fixed,
        guard="freed memory was overwritten under a side stream even with its event kept",
    )
