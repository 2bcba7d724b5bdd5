"""A self-validating race test of a block copier, as it was before its fix, and with it.

``_drive_store`` waits for its own copies only. Without the barrier the copies wait for no compute, so the control call
returns with nearly all of its sleeps and fills still queued on its compute stream, about 0.7 s of them. They run while
the fixed call drives the same tensor, and once in some thirty runs one lands between a fill and its copy. The barrier
is right, and the harm needs work that an earlier statement left behind: cross-phase contamination, leaked by the test,
which created that stream and never waited for it. The twin waits for it; nothing can be left over.
"""

from __future__ import annotations

import time

import torch

from kvrace_tests.specimen_support.block_copier import BlockCopier, Events

TRUTH = {
    "test_store_orders_after_compute_write": "cross-phase-contamination",
    "test_drained_store_orders_after_compute_write": "healthy",
}
LEAKER = "test"
LEAKING_STREAM = "compute_stream"

BLOCKS = 64
BLOCK_BYTES = 4096
ITERATIONS = 30
COMPUTE_CYCLES = 50_000_000  # about 25 ms


class Cache:
    def __init__(self) -> None:
        self.gpu = torch.zeros((BLOCKS, BLOCK_BYTES), dtype=torch.int8, device="cuda")
        self.cpu = torch.zeros((BLOCKS, BLOCK_BYTES), dtype=torch.int8, pin_memory=True)
        self.copier = BlockCopier(self.gpu, self.cpu)


def _drive_store(cache: Cache, first_value: int, *, with_barrier: bool, drained: bool = False) -> int:
    compute_stream = torch.cuda.Stream()
    events: Events = [None] * ITERATIONS
    corrupt = 0
    for i in range(ITERATIONS):
        value = first_value + i
        with torch.cuda.stream(compute_stream):
            torch.cuda._sleep(COMPUTE_CYCLES)
            cache.gpu.fill_(value)
        barrier = compute_stream.record_event()
        cache.copier.launch_copy(range(BLOCKS), range(BLOCKS), True, i, events, barrier if with_barrier else None)
        _wait_copied(events, i)
        corrupt += not bool((cache.cpu == value).all())
    if drained:
        compute_stream.synchronize()
    return corrupt


def _wait_copied(events: Events, i: int) -> None:
    deadline = time.monotonic() + 10
    while (event := events[i]) is None:
        assert time.monotonic() < deadline, "the copy was never enqueued"
        time.sleep(0.00005)
    event.synchronize()


def test_store_orders_after_compute_write() -> None:
    cache = Cache()
    torch.cuda.synchronize()
    control = _drive_store(cache, 1, with_barrier=False)
    fixed = _drive_store(cache, 61, with_barrier=True)
    cache.copier.close()
    assert control > 0, "vacuous control: the control phase never raced"
    assert fixed == 0, f"store raced compute even with the barrier: {fixed} corrupt"


def test_drained_store_orders_after_compute_write() -> None:
    cache = Cache()
    torch.cuda.synchronize()
    control = _drive_store(cache, 1, with_barrier=False, drained=True)
    fixed = _drive_store(cache, 61, with_barrier=True, drained=True)
    cache.copier.close()
    assert control > 0, "vacuous control: the control phase never raced"
    assert fixed == 0, f"store raced compute even with the barrier: {fixed} corrupt"
