"""Twelve hand-overs between two streams must be done within 30 ms; they take about one.

Whatever delays a stream after each wait breaks the deadline, with the device idle in between or not: time-sensitive,
and no race. The twin asks for the result, not for the time.
"""

from __future__ import annotations

import time

import torch

TRUTH = {
    "test_hand_overs_meet_their_deadline": "time-sensitive",
    "test_hand_overs_count_right": "healthy",
}

HAND_OVERS = 12
DEADLINE_SECONDS = 0.030


def _hand_over(counter: torch.Tensor, times: int) -> None:
    streams = (torch.cuda.Stream(), torch.cuda.Stream())
    streams[0].wait_stream(torch.cuda.current_stream())
    for i in range(times):
        here, there = streams[i % 2], streams[(i + 1) % 2]
        with torch.cuda.stream(here):
            counter.add_(1)
        there.wait_stream(here)
    streams[times % 2].synchronize()


def test_hand_overs_meet_their_deadline() -> None:
    counter = torch.zeros(1, device="cuda")
    _hand_over(counter, 1)  # loads the kernel
    begun = time.perf_counter()
    _hand_over(counter, HAND_OVERS)
    seconds = time.perf_counter() - begun
    assert seconds < DEADLINE_SECONDS, f"took {seconds * 1000:.1f} ms"


def test_hand_overs_count_right() -> None:
    counter = torch.zeros(1, device="cuda")
    _hand_over(counter, HAND_OVERS)
    assert counter.item() == HAND_OVERS
