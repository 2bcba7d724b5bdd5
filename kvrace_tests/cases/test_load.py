"""A load overwrites a reused block that compute still reads (write after read)."""

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
from kvrace_tests.offload.backend import EventSlots
from kvrace_tests.offload.ordering import KEEP_ALL, Edge, without
from kvrace_tests.offload.streams import Streams

EDGE = Edge.LOAD_AFTER_COMPUTE_READ
LOADED = 255
"""What the load brings; no phase uses it as a tag."""


def drive(device: Streams, keep: frozenset[Edge], phase: Phase) -> PhaseResult:
    began = phase.begin(device)
    compute_stream = device.new_stream("compute_stream")
    events: EventSlots = [None] * ROUNDS
    every = range(BLOCKS)
    pairs = [(block, block) for block in every]
    wrong = 0
    with caches(device, keep) as kv:
        result = device.device_buffer(BLOCKS, BLOCK_BYTES)
        for block in every:
            kv.on_host.poke(block, LOADED)
        for i in range(ROUNDS):
            compute_stream.fill(kv.on_device, phase.tag(i))
            compute_stream.synchronize()
            compute_stream.sleep(device.window_ms)
            compute_stream.copy(result, kv.on_device, pairs)
            used = device.new_event()
            compute_stream.record(used)
            kv.backend.launch_copy(every, every, False, i, events, used)
            kv.backend.wait_enqueued(events, i).synchronize()
            wrong += wrong_blocks(compute_stream.read(result), phase.tag(i))
        residual_ms = settle(device, compute_stream)
        result.free()
    return PhaseResult(wrong, ROUNDS * BLOCKS, residual_ms, device.now() - began)


@pytest.mark.stream
def test_load_orders_after_compute_read(device: Streams, judge: Judge) -> None:
    control = drive(device, without(EDGE), Phase.CONTROL)
    fixed = drive(device, KEEP_ALL, Phase.FIXED)
    judge(EDGE, control, fixed, guard="load overwrote a block that compute still read even with the barrier")
