"""A graph is replayed while a side stream still writes its input (read after write)."""

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

EDGE = Edge.REPLAY_AFTER_SIDE_WRITE


def drive(device: Streams, keep: frozenset[Edge], phase: Phase) -> PhaseResult:
    began = phase.begin(device)
    graph_stream = device.new_stream("graph_stream")
    side_stream = device.new_stream("side_stream")
    pairs = [(block, block) for block in range(BLOCKS)]
    wrong = 0
    with caches(device, keep) as kv:
        result = device.device_buffer(BLOCKS, BLOCK_BYTES)
        device.synchronize()
        with device.capture(graph_stream) as graph:
            graph_stream.copy(result, kv.on_device, pairs)
        for i in range(ROUNDS):
            side_stream.sleep(device.window_ms)
            side_stream.fill(kv.on_device, phase.tag(i))
            ready = device.new_event()
            side_stream.record(ready)
            kv.backend.replay(graph_stream, graph, ready)
            wrong += wrong_blocks(graph_stream.read(result), phase.tag(i))
            side_stream.synchronize()
        residual_ms = settle(device, graph_stream, side_stream)
        result.free()
    return PhaseResult(wrong, ROUNDS * BLOCKS, residual_ms, device.now() - began)


@pytest.mark.stream
def test_replay_orders_after_side_write(device: Streams, judge: Judge) -> None:
    control = drive(device, without(EDGE), Phase.CONTROL)
    fixed = drive(device, KEEP_ALL, Phase.FIXED)
    judge(EDGE, control, fixed, guard="a replay read its input before the side stream wrote it even with the wait")
