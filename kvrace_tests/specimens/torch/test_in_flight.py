"""Tests that leave work in flight and are right to: healthy, though each of their helpers leaves a stream busy.

The first trains in the background on buffers of its own, which nobody else touches until it is waited for. The second
prefetches the next batch while the present one is used, into the other of two buffers, ordered both ways. The third
starts a helper with a synchronization, then launches, and hands the event to whoever reads.
"""

from __future__ import annotations

import torch

TRUTH = {
    "test_background_training_on_buffers_of_its_own": "healthy",
    "test_prefetch_into_the_other_buffer": "healthy",
    "test_helper_synchronizes_then_launches": "healthy",
}

SIZE = 65536
CYCLES = 6_000_000  # about 3 ms


def _train(weights: torch.Tensor, stream: torch.cuda.Stream) -> None:
    started = torch.cuda.Event()
    with torch.cuda.stream(stream):
        for i in range(50):
            torch.cuda._sleep(CYCLES)
            weights.fill_(i)
            if i == 0:
                started.record()
    started.synchronize()


def test_background_training_on_buffers_of_its_own() -> None:
    weights, cache, seen = (torch.zeros(SIZE, device="cuda") for _ in range(3))
    training, writer, reader = (torch.cuda.Stream() for _ in range(3))
    torch.cuda.synchronize()
    _train(weights, training)
    for value in range(8):
        with torch.cuda.stream(writer):
            cache.fill_(value)
        reader.wait_stream(writer)
        with torch.cuda.stream(reader):
            seen.copy_(cache)
        reader.synchronize()
        assert seen.cpu().eq(value).all(), "the cache changed"
    training.synchronize()
    assert weights.cpu().eq(49).all(), "the training was cut short"


def test_prefetch_into_the_other_buffer() -> None:
    buffers = [torch.zeros(SIZE, device="cuda") for _ in range(2)]
    total = torch.zeros(SIZE, device="cuda")
    loading = torch.cuda.Stream()
    torch.cuda.synchronize()
    used = [torch.cuda.Event(), torch.cuda.Event()]
    for i in range(8):
        loading.wait_event(used[i % 2])
        with torch.cuda.stream(loading):
            torch.cuda._sleep(CYCLES // 3)
            buffers[i % 2].fill_(i)
        torch.cuda.current_stream().wait_stream(loading)
        total.add_(buffers[i % 2])
        used[i % 2].record()
    assert total.cpu().eq(28).all(), "a batch was used twice or not at all"


def _start(data: torch.Tensor, stream: torch.cuda.Stream, value: int) -> torch.cuda.Event:
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(CYCLES)
        data.fill_(value)
    return stream.record_event()


def test_helper_synchronizes_then_launches() -> None:
    data, seen = torch.zeros(SIZE, device="cuda"), torch.zeros(SIZE, device="cuda")
    writer, reader = torch.cuda.Stream(), torch.cuda.Stream()
    for value in (1, 2, 3):
        reader.wait_event(_start(data, writer, value))
        with torch.cuda.stream(reader):
            seen.copy_(data)
        reader.synchronize()
        assert seen.cpu().eq(value).all(), "the reader overtook the writer"
