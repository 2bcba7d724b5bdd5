"""Two phases as two turns of one loop: the first turn, which races on purpose, leaves its compute running.

It is the leak of two calls in a row, but the loop hides the line between them: only a boundary inside the loop
separates the turns. Cross-phase contamination, leaked by the test. The twin's phase waits for the stream that it made.
"""

from __future__ import annotations

import torch

TRUTH = {
    "test_looped_phases_save_what_was_computed": "cross-phase-contamination",
    "test_drained_looped_phases_save_what_was_computed": "healthy",
}
LEAKER = "test"
LEAKING_STREAM = "phase_stream"

SIZE = 4096
ITERATIONS = 24
COMPUTE_CYCLES = 30_000_000  # about 15 ms


def _phase(data: torch.Tensor, saved: torch.Tensor, *, ordered: bool, drained: bool) -> int:
    phase_stream = torch.cuda.Stream()
    save_stream = torch.cuda.Stream()
    wrong = 0
    for i in range(ITERATIONS):
        value = i + (1001 if ordered else 1)
        with torch.cuda.stream(phase_stream):
            torch.cuda._sleep(COMPUTE_CYCLES)
            data.fill_(value)
        if ordered:
            save_stream.wait_stream(phase_stream)
        with torch.cuda.stream(save_stream):
            saved.copy_(data, non_blocking=True)
        save_stream.synchronize()
        wrong += not bool((saved == value).all())
    if drained:
        phase_stream.synchronize()
    return wrong


def _both_phases(*, drained: bool) -> dict[bool, int]:
    data = torch.zeros(SIZE, dtype=torch.int32, device="cuda")
    saved = torch.zeros(SIZE, dtype=torch.int32, pin_memory=True)
    torch.cuda.synchronize()
    wrong = {}
    for ordered in (False, True):
        wrong[ordered] = _phase(data, saved, ordered=ordered, drained=drained)
    return wrong


def test_looped_phases_save_what_was_computed() -> None:
    wrong = _both_phases(drained=False)
    assert wrong[False] > 0, "vacuous control: saving without a wait never raced"
    assert wrong[True] == 0, f"saved {wrong[True]} wrong results although the copy waited"


def test_drained_looped_phases_save_what_was_computed() -> None:
    wrong = _both_phases(drained=True)
    assert wrong[False] > 0, "vacuous control: saving without a wait never raced"
    assert wrong[True] == 0, f"saved {wrong[True]} wrong results although the copy waited"
