"""A store reads a block that compute is still writing (read after write)."""

from __future__ import annotations

import pytest

from kvrace_tests.cases.phases import BLOCKS, ROUNDS, Judge, Phase, PhaseResult, caches, settle, wrong_blocks
from kvrace_tests.offload.backend import EventSlots
from kvrace_tests.offload.ordering import KEEP_ALL, Edge, without
from kvrace_tests.offload.streams import Streams

EDGE = Edge.STORE_AFTER_COMPUTE_WRITE


def drive(device: Streams, keep: frozenset[Edge], phase: Phase) -> PhaseResult:
    began = phase.begin(device)
    compute_stream = device.new_stream("compute_stream")
    events: EventSlots = [None] * ROUNDS
    every = range(BLOCKS)
    wrong = 0
    with caches(device, keep) as kv:
        for i in range(ROUNDS):
            compute_stream.sleep(device.window_ms)
            compute_stream.fill(kv.on_device, phase.tag(i))
            written = device.new_event()
            compute_stream.record(written)
            kv.backend.launch_copy(every, every, True, i, events, written)
            kv.backend.wait_enqueued(events, i).synchronize()
            wrong += sum(wrong_blocks(kv.on_host.peek(block), phase.tag(i)) for block in every)
        residual_ms = settle(device, compute_stream)
    return PhaseResult(wrong, ROUNDS * BLOCKS, residual_ms, device.now() - began)


@pytest.mark.stream
def test_store_orders_after_compute_write(device: Streams, judge: Judge) -> None:
    control = drive(device, without(EDGE), Phase.CONTROL)
    fixed = drive(device, KEEP_ALL, Phase.FIXED)
    judge(EDGE, control, fixed, guard="store raced compute even with the barrier")
