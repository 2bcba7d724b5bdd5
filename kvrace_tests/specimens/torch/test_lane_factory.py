"""A fixture hands out pairs of streams and its teardown would be the place to wait for them, but has nothing to say.

Each phase asks it for a fresh pair. The control phase returns with its unguarded writes still queued on its own write
stream; the fixed phase uses the same tensor meanwhile: cross-phase contamination, leaked by the test module, whose
fixture made the stream. The twin retires a pair before it takes the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import torch

TRUTH = {
    "test_two_lanes_of_the_factory": "cross-phase-contamination",
    "test_two_retired_lanes_of_the_factory": "healthy",
}
LEAKER = "test"
LEAKING_STREAM = "write_lane"

SIZE = 65536
WRITES = 12  # a round: work for longer than a host that wakes late
WRITE_CYCLES = 8_000_000  # about 4 ms

Lanes = tuple[torch.cuda.Stream, torch.cuda.Stream]


@pytest.fixture
def lanes() -> Iterator[Callable[[], Lanes]]:
    made: list[torch.cuda.Stream] = []

    def make() -> Lanes:
        write_lane = torch.cuda.Stream()
        copy_lane = torch.cuda.Stream()
        made.extend([write_lane, copy_lane])
        return write_lane, copy_lane

    yield make
    made.clear()


@pytest.fixture
def cache() -> tuple[torch.Tensor, torch.Tensor]:
    on_device = torch.zeros(SIZE, dtype=torch.int16, device="cuda")
    on_host = torch.zeros(SIZE, dtype=torch.int16, pin_memory=True)
    torch.cuda.synchronize()
    return on_device, on_host


def _stores(cache: tuple[torch.Tensor, torch.Tensor], pair: Lanes, values: range, *, edge: bool) -> list[int]:
    on_device, on_host = cache
    writes, copies = pair
    bad = []
    for value in values:
        with torch.cuda.stream(writes):
            for _ in range(WRITES):
                torch.cuda._sleep(WRITE_CYCLES)
                on_device.fill_(value)
        written = writes.record_event()
        if edge:
            copies.wait_event(written)
        with torch.cuda.stream(copies):
            on_host.copy_(on_device, non_blocking=True)
        stored = copies.record_event()
        stored.synchronize()
        if not bool(on_host.eq(value).all()):
            bad.append(value)
    return bad


def test_two_lanes_of_the_factory(cache: tuple[torch.Tensor, torch.Tensor], lanes: Callable[[], Lanes]) -> None:
    raced = _stores(cache, lanes(), range(100, 110), edge=False)
    bad = _stores(cache, lanes(), range(300, 305), edge=True)
    assert raced, "vacuous control: the control phase never raced"
    assert not bad, f"stored too early in spite of the edge: {bad}"


def test_two_retired_lanes_of_the_factory(cache: tuple[torch.Tensor, torch.Tensor], lanes: Callable[[], Lanes]) -> None:
    first = lanes()
    try:
        raced = _stores(cache, first, range(100, 110), edge=False)
    finally:
        for stream in first:
            stream.synchronize()
    bad = _stores(cache, lanes(), range(300, 305), edge=True)
    assert raced, "vacuous control: the control phase never raced"
    assert not bad, f"stored too early in spite of the edge: {bad}"
