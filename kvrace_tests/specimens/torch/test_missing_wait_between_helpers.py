"""One helper computes on its stream, the next stores from another and forgets to wait for the first.

The store waits for its own copy, so its caller believes that all is done. The missing wait is between two helpers of
one phase, not between phases: an ordering bug. The twin's store waits for the stream that computed.
"""

from __future__ import annotations

import torch

TRUTH = {
    "test_store_helper_keeps_the_result": "ordering-bug",
    "test_waiting_store_helper_keeps_the_result": "healthy",
}

SIZE = 1024


def _compute(data: torch.Tensor) -> torch.cuda.Stream:
    compute_stream = torch.cuda.Stream()
    with torch.cuda.stream(compute_stream):
        data.mul_(2).add_(1)
    return compute_stream


def _store(data: torch.Tensor, stored: torch.Tensor, after: torch.cuda.Stream | None = None) -> None:
    store_stream = torch.cuda.Stream()
    if after is not None:
        store_stream.wait_stream(after)
    with torch.cuda.stream(store_stream):
        stored.copy_(data, non_blocking=True)
    store_stream.synchronize()


def test_store_helper_keeps_the_result() -> None:
    data = torch.ones(SIZE, device="cuda")
    stored = torch.zeros(SIZE, pin_memory=True)
    torch.cuda.synchronize()
    _compute(data)
    _store(data, stored)
    assert stored.eq(3).all(), "stored what was there before the computation"


def test_waiting_store_helper_keeps_the_result() -> None:
    data = torch.ones(SIZE, device="cuda")
    stored = torch.zeros(SIZE, pin_memory=True)
    torch.cuda.synchronize()
    compute_stream = _compute(data)
    _store(data, stored, after=compute_stream)
    assert stored.eq(3).all(), "stored what was there before the computation"
