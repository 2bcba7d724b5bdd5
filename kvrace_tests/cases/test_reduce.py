"""A collective on its own stream reads a partial sum that compute is still writing (read after write)."""

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
    clear,
    settle,
    wrong_blocks,
)
from kvrace_tests.offload.ordering import KEEP_ALL, Edge, without
from kvrace_tests.offload.streams import Streams

EDGE = Edge.REDUCE_AFTER_PRODUCE


def drive(device: Streams, keep: frozenset[Edge], phase: Phase) -> PhaseResult:
    began = phase.begin(device)
    compute_stream = device.new_stream("compute_stream")
    collective_stream = device.new_stream("collective_stream")
    wrong = 0
    with caches(device, keep) as kv:
        total = device.device_buffer(BLOCKS, BLOCK_BYTES)
        for i in range(ROUNDS):
            clear(device, total)
            compute_stream.sleep(device.window_ms)
            compute_stream.fill(kv.on_device, phase.tag(i))
            produced = device.new_event()
            compute_stream.record(produced)
            kv.backend.reduce(collective_stream, total, kv.on_device, produced)
            wrong += wrong_blocks(collective_stream.read(total), phase.tag(i))
            compute_stream.synchronize()
        residual_ms = settle(device, compute_stream, collective_stream)
        total.free()
    return PhaseResult(wrong, ROUNDS * BLOCKS, residual_ms, device.now() - began)


@pytest.mark.stream
def test_reduction_orders_after_producer(device: Streams, judge: Judge) -> None:
    control = drive(device, without(EDGE), Phase.CONTROL)
    fixed = drive(device, KEEP_ALL, Phase.FIXED)
    judge(EDGE, control, fixed, guard="the reduction read a partial sum too early even with the wait")
