"""Warm-up, control, fixed: what the warm-up leaves behind passes the control unseen and meets the fixed phase.

The warm-up waits for the first of its two hundred writes. The control races on purpose and is drained, as it should be;
wrong values are what it wants, so the leftover writes do not show there. The fixed phase, whose barrier is right, reads
them: cross-phase contamination, leaked by the test two statements earlier. The twin's warm-up waits for all.
"""

from __future__ import annotations

import torch

TRUTH = {
    "test_control_and_fixed_after_a_warm_up": "cross-phase-contamination",
    "test_control_and_fixed_after_a_whole_warm_up": "healthy",
}
LEAKER = "test"
LEAKING_STREAM = "warming"

SIZE = 65536
WARM_UPS = 200
CYCLES = 6_000_000  # about 3 ms


class Bench:
    """The tensors and how a phase runs on them."""

    def __init__(self) -> None:
        self.gpu = torch.zeros(SIZE, dtype=torch.int32, device="cuda")
        self.cpu = torch.zeros(SIZE, dtype=torch.int32, pin_memory=True)
        torch.cuda.synchronize()

    def warm_up(self, *, whole: bool) -> None:
        warming = torch.cuda.Stream()
        first = torch.cuda.Event()
        with torch.cuda.stream(warming):
            for i in range(WARM_UPS):
                torch.cuda._sleep(CYCLES)
                self.gpu.fill_(-1)
                if i == 0:
                    first.record()
        if whole:
            warming.synchronize()
        first.synchronize()

    def phase(self, values: range, *, barrier: bool) -> int:
        compute, copies = torch.cuda.Stream(), torch.cuda.Stream()
        wrong = 0
        for value in values:
            with torch.cuda.stream(compute):
                torch.cuda._sleep(CYCLES // 3)
                self.gpu.fill_(value)
            if barrier:
                copies.wait_stream(compute)
            with torch.cuda.stream(copies):
                self.cpu.copy_(self.gpu, non_blocking=True)
            copies.synchronize()
            wrong += not bool(self.cpu.eq(value).all())
        compute.synchronize()
        return wrong


def test_control_and_fixed_after_a_warm_up() -> None:
    bench = Bench()
    bench.warm_up(whole=False)
    control = bench.phase(range(100, 108), barrier=False)
    fixed = bench.phase(range(500, 510), barrier=True)
    assert control > 0, "vacuous control: the control phase never raced"
    assert fixed == 0, f"the barrier does not hold: {fixed} wrong"


def test_control_and_fixed_after_a_whole_warm_up() -> None:
    bench = Bench()
    bench.warm_up(whole=True)
    control = bench.phase(range(100, 108), barrier=False)
    fixed = bench.phase(range(500, 510), barrier=True)
    assert control > 0, "vacuous control: the control phase never raced"
    assert fixed == 0, f"the barrier does not hold: {fixed} wrong"
