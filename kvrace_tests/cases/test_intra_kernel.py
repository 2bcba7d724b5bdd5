"""A block of a kernel reads a counter that another block of the same kernel is adding to (read after write).

No stream, event or synchronization orders the blocks of one kernel, and no tool that watches streams can see them
race: there is no second operation to report. The contents are the only witness here.
"""

from __future__ import annotations

import pytest

from kvrace_tests.cases.phases import Judge, Phase, PhaseResult
from kvrace_tests.offload.ordering import KEEP_ALL, Edge, without
from kvrace_tests.offload.streams import IntraKernel, Streams

EDGE = Edge.COUNT_AFTER_OTHER_BLOCKS
LAUNCHES = 50


def drive(device: Streams, kernel: IntraKernel, keep: frozenset[Edge], phase: Phase) -> PhaseResult:
    began = phase.begin(device)
    wrong = kernel.lost_updates(LAUNCHES, ordered=EDGE in keep)
    return PhaseResult(wrong, LAUNCHES, residual_ms=0.0, seconds=device.now() - began)


@pytest.mark.stream
def test_counter_orders_blocks_of_one_kernel(device: Streams, judge: Judge) -> None:
    kernel = device.intra_kernel()
    if kernel is None:
        pytest.skip("kernels have no blocks here: it takes CUDA and Triton, and no stream tool can see this race")
    control = drive(device, kernel, without(EDGE), Phase.CONTROL)
    fixed = drive(device, kernel, KEEP_ALL, Phase.FIXED)
    judge(EDGE, control, fixed, guard="blocks of one kernel raced even with their ordering")
