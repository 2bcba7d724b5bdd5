"""Compute overwrites a freed block that a store still reads (write after read)."""

from __future__ import annotations

import pytest

from kvrace_tests.cases.phases import BLOCKS, ROUNDS, Judge, Phase, PhaseResult, caches, settle, wrong_blocks
from kvrace_tests.offload.backend import EventSlots
from kvrace_tests.offload.ordering import KEEP_ALL, Edge, without
from kvrace_tests.offload.streams import Streams

EDGE = Edge.REUSE_AFTER_STORE_READ
NEXT_OWNER = 255
"""What the next owner writes; no phase uses it as a tag."""


def drive(device: Streams, keep: frozenset[Edge], phase: Phase) -> PhaseResult:
    began = phase.begin(device)
    compute_stream = device.new_stream("compute_stream")
    events: EventSlots = [None] * ROUNDS
    every = range(BLOCKS)
    wrong = 0
    with caches(device, keep, link_ms=device.window_ms) as kv:
        for i in range(ROUNDS):
            compute_stream.fill(kv.on_device, phase.tag(i))
            compute_stream.synchronize()
            kv.backend.launch_copy(every, every, True, i, events, None)
            stored = kv.backend.wait_enqueued(events, i)
            kv.backend.reuse_stored(compute_stream, stored)
            compute_stream.fill(kv.on_device, NEXT_OWNER)
            stored.synchronize()
            wrong += sum(wrong_blocks(kv.on_host.peek(block), phase.tag(i)) for block in every)
        residual_ms = settle(device, compute_stream)
    return PhaseResult(wrong, ROUNDS * BLOCKS, residual_ms, device.now() - began)


@pytest.mark.stream
def test_block_reuse_orders_after_store_read(device: Streams, judge: Judge) -> None:
    control = drive(device, without(EDGE), Phase.CONTROL)
    fixed = drive(device, KEEP_ALL, Phase.FIXED)
    judge(EDGE, control, fixed, guard="a reused block reached the store that still read it even with the wait")
