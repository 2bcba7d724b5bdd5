"""The race test of the block copier, drained as it should be, on a copier that ignores its barrier.

Each copy of the fixed phase overtakes the fill that it was told to wait for. Nothing of an earlier phase is involved,
both phases being drained: an ordering bug of the code under test. Run one operation at a time the copy finds its block
filled, and the control phase no longer races either.
"""

from __future__ import annotations

import time

import torch

from kvrace_tests.specimen_support.block_copier import BlockCopier, Events

TRUTH = {"test_copier_keeps_its_barrier": "ordering-bug"}

BLOCKS = 64
BLOCK_BYTES = 4096
ITERATIONS = 10
COMPUTE_CYCLES = 20_000_000  # about 10 ms


def _drive_store(copier: BlockCopier, gpu: torch.Tensor, cpu: torch.Tensor, *, with_barrier: bool) -> int:
    compute_stream = torch.cuda.Stream()
    events: Events = [None] * ITERATIONS
    corrupt = 0
    for i in range(ITERATIONS):
        value = i + (61 if with_barrier else 1)
        with torch.cuda.stream(compute_stream):
            torch.cuda._sleep(COMPUTE_CYCLES)
            gpu.fill_(value)
        barrier = compute_stream.record_event()
        copier.launch_copy(range(BLOCKS), range(BLOCKS), True, i, events, barrier if with_barrier else None)
        while (event := events[i]) is None:
            time.sleep(0.00005)
        event.synchronize()
        corrupt += not bool((cpu == value).all())
    compute_stream.synchronize()
    return corrupt


def test_copier_keeps_its_barrier() -> None:
    gpu = torch.zeros((BLOCKS, BLOCK_BYTES), dtype=torch.int8, device="cuda")
    cpu = torch.zeros((BLOCKS, BLOCK_BYTES), dtype=torch.int8, pin_memory=True)
    copier = BlockCopier(gpu, cpu, ordered=False)
    torch.cuda.synchronize()
    control = _drive_store(copier, gpu, cpu, with_barrier=False)
    fixed = _drive_store(copier, gpu, cpu, with_barrier=True)
    copier.close()
    assert control > 0, "vacuous control: the control phase never raced"
    assert fixed == 0, f"store raced compute even with the barrier: {fixed} corrupt"
