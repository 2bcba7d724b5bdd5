"""Compute reads a block before its load has ended (read after write)."""

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

EDGE = Edge.COMPUTE_READ_AFTER_LOAD


def drive(device: Streams, keep: frozenset[Edge], phase: Phase) -> PhaseResult:
    began = phase.begin(device)
    compute_stream = device.new_stream("compute_stream")
    events: EventSlots = [None] * ROUNDS
    every = range(BLOCKS)
    pairs = [(block, block) for block in every]
    wrong = 0
    with caches(device, keep, link_ms=device.window_ms) as kv:
        result = device.device_buffer(BLOCKS, BLOCK_BYTES)
        for i in range(ROUNDS):
            for block in every:
                kv.on_host.poke(block, phase.tag(i))
            kv.backend.launch_copy(every, every, False, i, events, None)
            loaded = kv.backend.wait_enqueued(events, i)
            kv.backend.read_loaded(compute_stream, loaded)
            compute_stream.copy(result, kv.on_device, pairs)
            wrong += wrong_blocks(compute_stream.read(result), phase.tag(i))
            loaded.synchronize()
        residual_ms = settle(device, compute_stream)
        result.free()
    return PhaseResult(wrong, ROUNDS * BLOCKS, residual_ms, device.now() - began)


@pytest.mark.stream
def test_compute_reads_after_load(device: Streams, judge: Judge) -> None:
    control = drive(device, without(EDGE), Phase.CONTROL)
    fixed = drive(device, KEEP_ALL, Phase.FIXED)
    judge(EDGE, control, fixed, guard="compute read a block before its load ended even with the wait")
