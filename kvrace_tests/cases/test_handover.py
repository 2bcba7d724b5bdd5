"""An event is recorded again before its waiter ran, so the waiter follows the wrong work (read after write)."""

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

EDGE = Edge.HANDOVER_OWN_EVENT


def drive(device: Streams, keep: frozenset[Edge], phase: Phase) -> PhaseResult:
    began = phase.begin(device)
    slow_stream = device.new_stream("slow_stream")
    quick_stream = device.new_stream("quick_stream")
    reader = device.new_stream("reader")
    half = BLOCKS // 2
    slow_blocks, quick_blocks = range(half), range(half, BLOCKS)
    wrong = 0
    with caches(device, keep) as kv:
        result = device.device_buffer(BLOCKS, BLOCK_BYTES)
        for i in range(ROUNDS):
            slow_stream.sleep(device.window_ms)
            slow_stream.fill(kv.on_device, phase.tag(i), slow_blocks)
            slow_written = kv.backend.point(slow_stream)
            quick_stream.fill(kv.on_device, phase.tag(i), quick_blocks)
            quick_written = kv.backend.point(quick_stream)
            reader.wait(slow_written)
            reader.wait(quick_written)
            reader.copy(result, kv.on_device, [(block, block) for block in range(BLOCKS)])
            wrong += wrong_blocks(reader.read(result), phase.tag(i))
            slow_stream.synchronize()
        residual_ms = settle(device, slow_stream, quick_stream, reader)
        result.free()
    return PhaseResult(wrong, ROUNDS * BLOCKS, residual_ms, device.now() - began)


@pytest.mark.stream
def test_handover_keeps_its_own_event(device: Streams, judge: Judge) -> None:
    control = drive(device, without(EDGE), Phase.CONTROL)
    fixed = drive(device, KEEP_ALL, Phase.FIXED)
    judge(
        EDGE, control, fixed, guard="a reader followed an event that was recorded again even with an event of its own"
    )
