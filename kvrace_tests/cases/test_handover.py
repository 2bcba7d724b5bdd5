"""An event is recorded again before its waiter ran, so the waiter follows the wrong work (read after write)."""

from __future__ import annotations

import pytest

from kvrace_tests.cases.phases import BLOCKS, ROUNDS, Phase, PhaseResult, caches, settle, wrong_blocks
from kvrace_tests.harness.judge import Judge
from kvrace_tests.offload.backend import EventSlots
from kvrace_tests.offload.ordering import KEEP_ALL, Edge, without
from kvrace_tests.offload.streams import Streams

EDGE = Edge.HANDOVER_OWN_EVENT


def drive(device: Streams, keep: frozenset[Edge], phase: Phase) -> PhaseResult:
    device.mark(phase.value)
    slow_stream = device.new_stream("slow_stream")
    quick_stream = device.new_stream("quick_stream")
    events: EventSlots = [None] * (2 * ROUNDS)
    half = BLOCKS // 2
    slow_blocks, quick_blocks = range(half), range(half, BLOCKS)
    wrong = 0
    with caches(device, keep) as kv:
        for i in range(ROUNDS):
            slow_stream.sleep(device.window_ms)
            slow_stream.fill(kv.on_device, phase.tag(i), slow_blocks)
            slow_written = kv.backend.point(slow_stream)
            quick_stream.fill(kv.on_device, phase.tag(i), quick_blocks)
            quick_written = kv.backend.point(quick_stream)
            kv.backend.launch_copy(slow_blocks, slow_blocks, True, 2 * i, events, slow_written)
            kv.backend.launch_copy(quick_blocks, quick_blocks, True, 2 * i + 1, events, quick_written)
            kv.backend.wait_enqueued(events, 2 * i).synchronize()
            kv.backend.wait_enqueued(events, 2 * i + 1).synchronize()
            wrong += sum(wrong_blocks(kv.on_host.peek(block), phase.tag(i)) for block in range(BLOCKS))
        residual_ms = settle(device, slow_stream, quick_stream)
    return PhaseResult(wrong, ROUNDS * BLOCKS, residual_ms)


@pytest.mark.stream
def test_handover_keeps_its_own_event(device: Streams, judge: Judge) -> None:
    control = drive(device, without(EDGE), Phase.CONTROL)
    fixed = drive(device, KEEP_ALL, Phase.FIXED)
    judge(EDGE, control, fixed, guard="a store followed an event that was recorded again even with an event of its own")
