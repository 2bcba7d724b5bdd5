"""The host reads the target of a non-blocking copy before the copy has ended (read after write)."""

from __future__ import annotations

import pytest

from kvrace_tests.cases.phases import BLOCKS, ROUNDS, Judge, Phase, PhaseResult, caches, settle, wrong_blocks
from kvrace_tests.offload.ordering import KEEP_ALL, Edge, without
from kvrace_tests.offload.streams import Streams

EDGE = Edge.HOST_READ_AFTER_STORE


def drive(device: Streams, keep: frozenset[Edge], phase: Phase) -> PhaseResult:
    began = phase.begin(device)
    copy_stream = device.new_stream("copy_stream")
    every = range(BLOCKS)
    pairs = [(block, block) for block in every]
    wrong = 0
    with caches(device, keep) as kv:
        for i in range(ROUNDS):
            copy_stream.fill(kv.on_device, phase.tag(i))
            copy_stream.sleep(device.window_ms)
            copy_stream.copy(kv.on_host, kv.on_device, pairs)
            stored = device.new_event()
            copy_stream.record(stored)
            wrong += sum(wrong_blocks(kv.backend.fetch(stored, block), phase.tag(i)) for block in every)
            stored.synchronize()
        residual_ms = settle(device, copy_stream)
    return PhaseResult(wrong, ROUNDS * BLOCKS, residual_ms, device.now() - began)


@pytest.mark.stream
def test_host_reads_after_store(device: Streams, judge: Judge) -> None:
    control = drive(device, without(EDGE), Phase.CONTROL)
    fixed = drive(device, KEEP_ALL, Phase.FIXED)
    judge(EDGE, control, fixed, guard="the host read a block before its store ended even with the wait")
