"""A sum over a side stream's result that expects the wrong number: broken, in whatever order. The twin is right."""

from __future__ import annotations

import torch

TRUTH = {
    "test_sum_with_an_off_by_one": "broken",
    "test_sum_without_an_off_by_one": "healthy",
}

SIZE = 4096


def _sum_of_ones() -> int:
    data = torch.zeros(SIZE, dtype=torch.int64, device="cuda")
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        data.add_(1)
    torch.cuda.current_stream().wait_stream(side)
    return int(data.sum().item())


def test_sum_with_an_off_by_one() -> None:
    assert _sum_of_ones() == SIZE + 1


def test_sum_without_an_off_by_one() -> None:
    assert _sum_of_ones() == SIZE
