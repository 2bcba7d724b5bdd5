"""A scratch tensor is dropped while a side stream has yet to read it, and its memory is handed out again at once.

The allocator knows only the stream that a tensor was made on. Twenty milliseconds later the side stream copies what
the next tensor has written there: an ordering bug. The twin tells the allocator with ``record_stream``. Page-locked
memory needs no such word: torch notes itself which copies still read it, so dropping it in flight is healthy.
"""

from __future__ import annotations

import torch

TRUTH = {
    "test_scratch_is_dropped_early": "ordering-bug",
    "test_recorded_scratch_is_dropped_early": "healthy",
    "test_pinned_scratch_is_dropped_early": "healthy",
}

SIZE = 65536
LATE_CYCLES = 40_000_000  # about 20 ms
UPLOADS = 6


def _copy_late(*, record: bool) -> torch.Tensor:
    kept = torch.zeros(SIZE, device="cuda")
    side = torch.cuda.Stream()
    torch.cuda.synchronize()
    scratch = torch.full((SIZE,), 3.0, device="cuda")
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        torch.cuda._sleep(LATE_CYCLES)
        kept.copy_(scratch)
    if record:
        scratch.record_stream(side)
    del scratch
    reused = torch.full((SIZE,), 9.0, device="cuda")
    side.synchronize()
    del reused
    return kept.cpu()


def test_scratch_is_dropped_early() -> None:
    kept = _copy_late(record=False)
    assert kept.eq(3).all(), "the copy holds what came after"


def test_recorded_scratch_is_dropped_early() -> None:
    kept = _copy_late(record=True)
    assert kept.eq(3).all(), "the copy holds what came after"


def test_pinned_scratch_is_dropped_early() -> None:
    rows = torch.zeros((UPLOADS, SIZE), device="cuda")
    side = torch.cuda.Stream()
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        torch.cuda._sleep(LATE_CYCLES)
        for i, row in enumerate(rows):
            row.copy_(torch.full((SIZE,), float(i)).pin_memory(), non_blocking=True)
    side.synchronize()
    wrong = [i for i, row in enumerate(rows.cpu()) if not bool(row.eq(i).all())]
    assert not wrong, f"{len(wrong)} uploads hold what came after"
