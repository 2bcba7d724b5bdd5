"""A fixture warms the cache up on a stream of its own and waits for the first write of two hundred only.

The other writes run while the test, whose own waits are all there, fills and copies the same tensor. The fixture acted
as if its work were done; the leftover crosses from setup into the call: cross-phase contamination, leaked by the suite.
The twin's fixture waits for the last write.
"""

from __future__ import annotations

import pytest
import torch

TRUTH = {
    "test_stores_into_a_warm_cache": "cross-phase-contamination",
    "test_stores_into_a_cache_that_is_warm_for_sure": "healthy",
}
LEAKER = "test"
LEAKING_STREAM = "warm_stream"

SIZE = 65536
WARM_UPS = 200
WARM_CYCLES = 6_000_000  # about 3 ms

Pair = tuple[torch.Tensor, torch.Tensor]


def _warmed(*, wait_for: int) -> Pair:
    device = torch.zeros(SIZE, dtype=torch.int32, device="cuda")
    host = torch.zeros(SIZE, dtype=torch.int32, pin_memory=True)
    torch.cuda.synchronize()
    warm_stream = torch.cuda.Stream()
    warmed = [torch.cuda.Event() for _ in range(WARM_UPS)]
    with torch.cuda.stream(warm_stream):
        for event in warmed:
            torch.cuda._sleep(WARM_CYCLES)
            device.fill_(-1)
            event.record()
    warmed[wait_for].synchronize()
    return device, host


@pytest.fixture
def warm_cache() -> Pair:
    return _warmed(wait_for=0)


@pytest.fixture
def surely_warm_cache() -> Pair:
    return _warmed(wait_for=-1)


def _store_all(cache: Pair) -> int:
    device, host = cache
    compute, copies = torch.cuda.Stream(), torch.cuda.Stream()
    wrong = 0
    for value in range(1, 13):
        with torch.cuda.stream(compute):
            device.fill_(value)
        copies.wait_stream(compute)
        with torch.cuda.stream(copies):
            host.copy_(device, non_blocking=True)
        copies.synchronize()
        wrong += not bool(host.eq(value).all())
    return wrong


def test_stores_into_a_warm_cache(warm_cache: Pair) -> None:
    wrong = _store_all(warm_cache)
    assert wrong == 0, f"{wrong} stores hold what they should not"


def test_stores_into_a_cache_that_is_warm_for_sure(surely_warm_cache: Pair) -> None:
    wrong = _store_all(surely_warm_cache)
    assert wrong == 0, f"{wrong} stores hold what they should not"
