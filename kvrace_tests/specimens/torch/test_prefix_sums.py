"""Prefix sums on a side stream, ordered on both sides; one test expects the wrong last one.

Off by one in the expectation, not in any order: every arm fails: broken. The twin expects right.
"""

from __future__ import annotations

import torch

TRUTH = {
    "test_last_prefix_sum_counts_from_one": "broken",
    "test_last_prefix_sum_counts_from_zero": "healthy",
}

LENGTH = 100


def _last_prefix_sum() -> int:
    numbers = torch.arange(LENGTH, device="cuda")
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        sums = numbers.cumsum(0)
    torch.cuda.current_stream().wait_stream(side)
    sums.record_stream(torch.cuda.current_stream())
    return int(sums[-1].item())


def test_last_prefix_sum_counts_from_one() -> None:
    last = _last_prefix_sum()
    assert last == LENGTH * (LENGTH + 1) // 2, f"the last sum is {last}"


def test_last_prefix_sum_counts_from_zero() -> None:
    last = _last_prefix_sum()
    assert last == LENGTH * (LENGTH - 1) // 2, f"the last sum is {last}"
