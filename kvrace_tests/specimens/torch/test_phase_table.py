"""The phases of a race test are rows of a table, and one comprehension runs them all.

The control's row never waits for its writes and comes back with most of them queued; they run into the next row, whose
barrier is right. Both are calls in one statement; the leftover work is that of the first: cross-phase contamination,
leaked by the test. The twin's rows end with a wait for their writes.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

TRUTH = {
    "test_table_of_phases": "cross-phase-contamination",
    "test_table_of_settled_phases": "healthy",
}
LEAKER = "test"
LEAKING_STREAM = "table_writes"

SIZE = 65536
WRITES = 12  # a round: work for longer than a host that wakes late
WRITE_CYCLES = 8_000_000  # about 4 ms


@dataclass(frozen=True)
class Phase:
    name: str
    values: range
    barrier: bool


PHASES = (Phase("control", range(100, 110), barrier=False), Phase("fixed", range(500, 505), barrier=True))


def _run_phase(phase: Phase, gpu: torch.Tensor, cpu: torch.Tensor, *, settle: bool) -> int:
    table_writes = torch.cuda.Stream()
    table_copies = torch.cuda.Stream()
    wrong = 0
    for value in phase.values:
        with torch.cuda.stream(table_writes):
            for _ in range(WRITES):
                torch.cuda._sleep(WRITE_CYCLES)
                gpu.fill_(value)
        if phase.barrier:
            table_copies.wait_stream(table_writes)
        with torch.cuda.stream(table_copies):
            cpu.copy_(gpu, non_blocking=True)
        table_copies.synchronize()
        wrong += not bool(cpu.eq(value).all())
    if settle:
        table_writes.synchronize()
    return wrong


def test_table_of_phases() -> None:
    gpu = torch.zeros(SIZE, dtype=torch.int32, device="cuda")
    cpu = torch.zeros(SIZE, dtype=torch.int32, pin_memory=True)
    torch.cuda.synchronize()
    wrong = {phase.name: _run_phase(phase, gpu, cpu, settle=False) for phase in PHASES}
    assert wrong["control"] > 0, "vacuous control: the control phase never raced"
    assert wrong["fixed"] == 0, f"the barrier does not hold: {wrong['fixed']} wrong"


def test_table_of_settled_phases() -> None:
    gpu = torch.zeros(SIZE, dtype=torch.int32, device="cuda")
    cpu = torch.zeros(SIZE, dtype=torch.int32, pin_memory=True)
    torch.cuda.synchronize()
    wrong = {phase.name: _run_phase(phase, gpu, cpu, settle=True) for phase in PHASES}
    assert wrong["control"] > 0, "vacuous control: the control phase never raced"
    assert wrong["fixed"] == 0, f"the barrier does not hold: {wrong['fixed']} wrong"
