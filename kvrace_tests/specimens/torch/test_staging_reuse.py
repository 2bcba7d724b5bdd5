"""Layers are uploaded one after another through one pinned buffer, which the host rewrites before the copy has run.

A copy waits for the compute of the layer before, some 15 ms; the host does not, and fills the buffer with the
next layer meanwhile. All of it is inside one phase: an ordering bug. The twin's host waits for the copy first.
"""

from __future__ import annotations

import torch

TRUTH = {
    "test_each_layer_is_uploaded_through_one_buffer": "ordering-bug",
    "test_each_layer_is_uploaded_through_one_awaited_buffer": "healthy",
}

SIZE = 65536
LAYERS = 8
COMPUTE_CYCLES = 30_000_000  # about 15 ms


def _upload(*, await_copy: bool) -> torch.Tensor:
    staging = torch.empty(SIZE, pin_memory=True)
    weights = torch.empty(SIZE, device="cuda")
    results = torch.zeros((LAYERS, SIZE), device="cuda")
    copy_stream = torch.cuda.Stream()
    compute_stream = torch.cuda.Stream()
    torch.cuda.synchronize()
    copied = torch.cuda.Event()
    for layer in range(LAYERS):
        if await_copy:
            copied.synchronize()
        staging.fill_(layer + 1)
        copy_stream.wait_stream(compute_stream)
        with torch.cuda.stream(copy_stream):
            weights.copy_(staging, non_blocking=True)
        copied.record(copy_stream)
        compute_stream.wait_event(copied)
        with torch.cuda.stream(compute_stream):
            torch.cuda._sleep(COMPUTE_CYCLES)
            results[layer].copy_(weights)
    compute_stream.synchronize()
    return results.cpu()


def _wrong(results: torch.Tensor) -> int:
    return sum(not bool(row.eq(layer + 1).all()) for layer, row in enumerate(results))


def test_each_layer_is_uploaded_through_one_buffer() -> None:
    wrong = _wrong(_upload(await_copy=False))
    assert wrong == 0, f"{wrong} layers were computed with the weights of another"


def test_each_layer_is_uploaded_through_one_awaited_buffer() -> None:
    wrong = _wrong(_upload(await_copy=True))
    assert wrong == 0, f"{wrong} layers were computed with the weights of another"
