"""A test that gives its whole body to a thread, so as to stop waiting for one that hangs.

Both phases run on that thread; the test's own one only waits for the future. A phase waits for its copies, never for
its writes: the unguarded control leaves a hundred of them on ``row_writes``, and they meet the guarded phase. That is
cross-phase contamination, leaked by the test, which made the stream. The twin waits for the writes as well.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import torch

TRUTH = {
    "test_rows_follow_their_writes": "cross-phase-contamination",
    "test_rows_follow_their_awaited_writes": "healthy",
}
LEAKER = "test"
LEAKING_STREAM = "row_writes"

ROWS = 65536
WRITES = 12  # a round: work for longer than a host that wakes late
WRITE_CYCLES = 8_000_000  # about 4 ms
HANGS_AFTER = 60.0  # seconds


def _within(seconds: float, body: Callable[[], None]) -> None:
    with ThreadPoolExecutor(max_workers=1) as pool:
        pool.submit(body).result(timeout=seconds)


def _lost(gpu: torch.Tensor, cpu: torch.Tensor, values: range, *, guarded: bool, settle: bool) -> int:
    row_writes = torch.cuda.Stream()
    row_copies = torch.cuda.Stream()
    lost = 0
    for value in values:
        with torch.cuda.stream(row_writes):
            for _ in range(WRITES):
                torch.cuda._sleep(WRITE_CYCLES)
                gpu.fill_(value)
        if guarded:
            row_copies.wait_stream(row_writes)
        with torch.cuda.stream(row_copies):
            cpu.copy_(gpu, non_blocking=True)
        row_copies.synchronize()
        lost += not bool(cpu.eq(value).all())
    if settle:
        row_writes.synchronize()
    return lost


def _check_rows(*, settle: bool) -> None:
    gpu = torch.zeros(ROWS, dtype=torch.int32, device="cuda")
    cpu = torch.zeros(ROWS, dtype=torch.int32, pin_memory=True)
    torch.cuda.synchronize()
    control = _lost(gpu, cpu, range(100, 110), guarded=False, settle=settle)
    guarded = _lost(gpu, cpu, range(500, 505), guarded=True, settle=settle)
    assert control > 0, "vacuous control: the control phase never raced"
    assert guarded == 0, f"{guarded} rows lost their write"


def test_rows_follow_their_writes() -> None:
    _within(HANGS_AFTER, lambda: _check_rows(settle=False))


def test_rows_follow_their_awaited_writes() -> None:
    _within(HANGS_AFTER, lambda: _check_rows(settle=True))
