"""The host reads the end of a pinned buffer after it has waited for the stream that computed, not the one that copies.

64 MiB take more than a millisecond on the bus, the host looks after some microseconds: an ordering bug within one
phase. One twin waits for the copy, the other asks the copy's event until it says yes.
"""

from __future__ import annotations

import time

import torch

TRUTH = {
    "test_last_count_after_the_compute_stream": "ordering-bug",
    "test_last_count_after_the_copy_stream": "healthy",
    "test_last_count_after_polling_the_copy": "healthy",
}

SIZE = 16 * 1024 * 1024


class Counts:
    def __init__(self) -> None:
        self.counts = torch.zeros(SIZE, dtype=torch.int32, device="cuda")
        self.landed = torch.zeros(SIZE, dtype=torch.int32, pin_memory=True)
        self.compute, self.copies = torch.cuda.Stream(), torch.cuda.Stream()
        torch.cuda.synchronize()

    def start(self) -> torch.cuda.Event:
        with torch.cuda.stream(self.compute):
            self.counts.fill_(5)
        self.copies.wait_stream(self.compute)
        with torch.cuda.stream(self.copies):
            self.landed.copy_(self.counts, non_blocking=True)
        return self.copies.record_event()


def test_last_count_after_the_compute_stream() -> None:
    counts = Counts()
    counts.start()
    counts.compute.synchronize()
    last = counts.landed[-1].item()
    counts.copies.synchronize()
    assert last == 5, f"the last count is {last}"


def test_last_count_after_the_copy_stream() -> None:
    counts = Counts()
    counts.start()
    counts.compute.synchronize()
    counts.copies.synchronize()
    last = counts.landed[-1].item()
    assert last == 5, f"the last count is {last}"


def test_last_count_after_polling_the_copy() -> None:
    counts = Counts()
    copied = counts.start()
    while not copied.query():
        time.sleep(0.0001)
    last = counts.landed[-1].item()
    assert last == 5, f"the last count is {last}"
