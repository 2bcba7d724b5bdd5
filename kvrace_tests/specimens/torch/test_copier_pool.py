"""Two threads of a pool do a phase's work: one writes, one copies. Futures say that work was handed to the device.

A phase waits for its futures and for its copies, never for its writes. The unguarded control thus leaves a hundred of
them on ``pool_writes``, and they meet the guarded phase: cross-phase contamination, leaked by the test, which made the
stream. The twin waits for the writes as well.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import torch

TRUTH = {
    "test_pooled_copies_follow_pooled_writes": "cross-phase-contamination",
    "test_pooled_copies_follow_awaited_writes": "healthy",
}
LEAKER = "test"
LEAKING_STREAM = "pool_writes"

SIZE = 65536
WRITES = 12  # a round: work for longer than a host that wakes late
WRITE_CYCLES = 8_000_000  # about 4 ms


def _write(stream: torch.cuda.Stream, target: torch.Tensor, value: int) -> torch.cuda.Event:
    with torch.cuda.stream(stream):
        for _ in range(WRITES):
            torch.cuda._sleep(WRITE_CYCLES)
            target.fill_(value)
        return stream.record_event()


def _copy(
    stream: torch.cuda.Stream, target: torch.Tensor, source: torch.Tensor, after: torch.cuda.Event | None
) -> torch.cuda.Event:
    if after is not None:
        stream.wait_event(after)
    with torch.cuda.stream(stream):
        target.copy_(source, non_blocking=True)
        return stream.record_event()


def _pooled(gpu: torch.Tensor, cpu: torch.Tensor, values: range, *, guarded: bool, settle: bool = False) -> int:
    pool_writes = torch.cuda.Stream()
    pool_copies = torch.cuda.Stream()
    lost = 0
    with ThreadPoolExecutor(max_workers=2) as pool:
        for value in values:
            written = pool.submit(_write, pool_writes, gpu, value).result()
            copied = pool.submit(_copy, pool_copies, cpu, gpu, written if guarded else None).result()
            copied.synchronize()
            lost += not bool(cpu.eq(value).all())
    if settle:
        pool_writes.synchronize()
    return lost


def test_pooled_copies_follow_pooled_writes() -> None:
    gpu = torch.zeros(SIZE, dtype=torch.int32, device="cuda")
    cpu = torch.zeros(SIZE, dtype=torch.int32, pin_memory=True)
    torch.cuda.synchronize()
    control = _pooled(gpu, cpu, range(100, 110), guarded=False)
    guarded = _pooled(gpu, cpu, range(500, 505), guarded=True)
    assert control > 0, "vacuous control: the control phase never raced"
    assert guarded == 0, f"{guarded} copies lost their write"


def test_pooled_copies_follow_awaited_writes() -> None:
    gpu = torch.zeros(SIZE, dtype=torch.int32, device="cuda")
    cpu = torch.zeros(SIZE, dtype=torch.int32, pin_memory=True)
    torch.cuda.synchronize()
    control = _pooled(gpu, cpu, range(100, 110), guarded=False, settle=True)
    guarded = _pooled(gpu, cpu, range(500, 505), guarded=True, settle=True)
    assert control > 0, "vacuous control: the control phase never raced"
    assert guarded == 0, f"{guarded} copies lost their write"
