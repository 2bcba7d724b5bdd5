"""Twenty-four hand-overs between two streams are launched, then an event is asked until it says yes, for so long.

They take less than a millisecond. Whoever delays a stream after each wait makes the impatient test give up on work that
would have come out right, and it knows, for it had asked: time-sensitive. The twin asks for as long as it takes.
"""

from __future__ import annotations

import time

import torch

TRUTH = {
    "test_gives_up_on_the_hand_overs": "time-sensitive",
    "test_waits_for_the_hand_overs": "healthy",
}

HAND_OVERS = 24


def _hand_over(counter: torch.Tensor) -> torch.cuda.Event:
    here, there = torch.cuda.Stream(), torch.cuda.Stream()
    torch.cuda.synchronize()
    for _ in range(HAND_OVERS):
        with torch.cuda.stream(here):
            counter.add_(1)
        there.wait_stream(here)
        here, there = there, here
    return here.record_event()


def _done_within(event: torch.cuda.Event, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while not event.query():
        if time.monotonic() > end:
            return False
        time.sleep(0.0005)
    return True


def test_gives_up_on_the_hand_overs() -> None:
    counter = torch.zeros(1, device="cuda")
    counter.add_(0)  # loads the kernel
    done = _done_within(_hand_over(counter), 0.06)
    torch.cuda.synchronize()
    assert done, "the hand-overs never ended"
    assert counter.item() == HAND_OVERS


def test_waits_for_the_hand_overs() -> None:
    counter = torch.zeros(1, device="cuda")
    counter.add_(0)  # loads the kernel
    assert _done_within(_hand_over(counter), 30.0), "the hand-overs never ended"
    assert counter.item() == HAND_OVERS
