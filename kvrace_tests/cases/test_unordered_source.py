"""A batched copy that may read its source early reads it before compute wrote it (read after write).

The copy does wait for compute: the wait orders its target, not its source.
"""

from __future__ import annotations

import pytest

from kvrace_tests.cases.phases import BLOCKS, ROUNDS, Judge, Phase, PhaseResult, caches, settle, wrong_blocks
from kvrace_tests.offload.ordering import KEEP_ALL, Edge, without
from kvrace_tests.offload.streams import Streams

EDGE = Edge.SOURCE_IN_STREAM_ORDER


def drive(device: Streams, keep: frozenset[Edge], phase: Phase) -> PhaseResult:
    began = phase.begin(device)
    compute_stream = device.new_stream("compute_stream")
    every = range(BLOCKS)
    wrong = 0
    with caches(device, keep) as kv:
        for i in range(ROUNDS):
            compute_stream.sleep(device.window_ms)
            compute_stream.fill(kv.on_device, phase.tag(i))
            written = device.new_event()
            compute_stream.record(written)
            kv.backend.archive(written, every).synchronize()
            wrong += sum(wrong_blocks(kv.on_host.peek(block), phase.tag(i)) for block in every)
        residual_ms = settle(device, compute_stream)
    return PhaseResult(wrong, ROUNDS * BLOCKS, residual_ms, device.now() - began)


@pytest.mark.stream
def test_batched_copy_reads_source_in_stream_order(device: Streams, judge: Judge) -> None:
    if not device.unordered_sources:
        pytest.skip("batched copies of this device or driver always read their source in stream order")
    control = drive(device, without(EDGE), Phase.CONTROL)
    fixed = drive(device, KEEP_ALL, Phase.FIXED)
    judge(EDGE, control, fixed, guard="a batched copy raced the writer of its source even with stream ordering")
