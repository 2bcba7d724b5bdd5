"""A stale load lands in a block that has a new owner (write after write)."""

from __future__ import annotations

import pytest

from kvrace_tests.cases.phases import BLOCKS, ROUNDS, Judge, Phase, PhaseResult, caches, settle, wrong_blocks
from kvrace_tests.offload.backend import EventSlots
from kvrace_tests.offload.ordering import KEEP_ALL, Edge, without
from kvrace_tests.offload.streams import Streams

EDGE = Edge.REASSIGN_AFTER_LOAD_WRITE
STALE = 255
"""What the load brings that nobody needs any more; no phase uses it as a tag."""


def drive(device: Streams, keep: frozenset[Edge], phase: Phase) -> PhaseResult:
    began = phase.begin(device)
    compute_stream = device.new_stream("compute_stream")
    events: EventSlots = [None] * ROUNDS
    every = range(BLOCKS)
    wrong = 0
    with caches(device, keep, link_ms=device.window_ms) as kv:
        for block in every:
            kv.on_host.poke(block, STALE)
        for i in range(ROUNDS):
            kv.backend.launch_copy(every, every, False, i, events, None)
            stale = kv.backend.wait_enqueued(events, i)
            kv.backend.reassign(compute_stream, stale)
            compute_stream.fill(kv.on_device, phase.tag(i))
            compute_stream.synchronize()
            stale.synchronize()
            wrong += wrong_blocks(compute_stream.read(kv.on_device), phase.tag(i))
        residual_ms = settle(device, compute_stream)
    return PhaseResult(wrong, ROUNDS * BLOCKS, residual_ms, device.now() - began)


@pytest.mark.stream
def test_reassigned_block_orders_after_stale_load(device: Streams, judge: Judge) -> None:
    control = drive(device, without(EDGE), Phase.CONTROL)
    fixed = drive(device, KEEP_ALL, Phase.FIXED)
    judge(EDGE, control, fixed, guard="a stale load landed in a reassigned block even with the wait")
