"""Two phases as two loops of one test function: the first, which races on purpose, leaves its compute running.

The first loop waits for its copies only, so about 0.3 s of its fills run during the second loop, whose own order is
right: cross-phase contamination, leaked by the test. The twin waits for the first loop's stream before the second.
"""

from __future__ import annotations

import torch

TRUTH = {
    "test_inline_phases_save_what_was_computed": "cross-phase-contamination",
    "test_drained_inline_phases_save_what_was_computed": "healthy",
}
LEAKER = "test"
LEAKING_STREAM = "unordered_stream"

SIZE = 4096
ITERATIONS = 24
COMPUTE_CYCLES = 30_000_000  # about 15 ms


def _compute(data: torch.Tensor, stream: torch.cuda.Stream, value: int) -> None:
    with torch.cuda.stream(stream):
        torch.cuda._sleep(COMPUTE_CYCLES)
        data.fill_(value)


def _save(data: torch.Tensor, saved: torch.Tensor, stream: torch.cuda.Stream) -> None:
    with torch.cuda.stream(stream):
        saved.copy_(data, non_blocking=True)
    stream.synchronize()


def test_inline_phases_save_what_was_computed() -> None:
    data = torch.zeros(SIZE, dtype=torch.int32, device="cuda")
    saved = torch.zeros(SIZE, dtype=torch.int32, pin_memory=True)
    save_stream = torch.cuda.Stream()
    torch.cuda.synchronize()

    raced = 0
    unordered_stream = torch.cuda.Stream()
    for i in range(ITERATIONS):
        _compute(data, unordered_stream, 1 + i)
        _save(data, saved, save_stream)
        raced += not bool((saved == 1 + i).all())

    wrong = 0
    ordered_stream = torch.cuda.Stream()
    for i in range(ITERATIONS):
        _compute(data, ordered_stream, 1001 + i)
        save_stream.wait_stream(ordered_stream)
        _save(data, saved, save_stream)
        wrong += not bool((saved == 1001 + i).all())

    assert raced > 0, "vacuous control: saving without a wait never raced"
    assert wrong == 0, f"saved {wrong} wrong results although the copy waited"


def test_drained_inline_phases_save_what_was_computed() -> None:
    data = torch.zeros(SIZE, dtype=torch.int32, device="cuda")
    saved = torch.zeros(SIZE, dtype=torch.int32, pin_memory=True)
    save_stream = torch.cuda.Stream()
    torch.cuda.synchronize()

    raced = 0
    unordered_stream = torch.cuda.Stream()
    for i in range(ITERATIONS):
        _compute(data, unordered_stream, 1 + i)
        _save(data, saved, save_stream)
        raced += not bool((saved == 1 + i).all())
    unordered_stream.synchronize()

    wrong = 0
    ordered_stream = torch.cuda.Stream()
    for i in range(ITERATIONS):
        _compute(data, ordered_stream, 1001 + i)
        save_stream.wait_stream(ordered_stream)
        _save(data, saved, save_stream)
        wrong += not bool((saved == 1001 + i).all())

    assert raced > 0, "vacuous control: saving without a wait never raced"
    assert wrong == 0, f"saved {wrong} wrong results although the copy waited"
