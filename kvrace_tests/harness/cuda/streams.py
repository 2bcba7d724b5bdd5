"""Streams and events of a CUDA device."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Iterator, Sequence
from typing import Protocol

import torch

from kvrace_tests.harness.cuda.batch import BatchCopy
from kvrace_tests.harness.cuda.memory import CudaBuffer, cuda
from kvrace_tests.offload.streams import Buffer, Event, Graph, SourceOrder, Stream


class Abilities(Protocol):
    """What a stream must know of its device."""

    cycles_per_ms: float
    """Rate of the clock that the spin kernel counts."""
    batch_copy: BatchCopy | None
    """None where the driver has none."""
    capturing: bool
    """Whether a graph is being captured, where batched copies are refused."""


class DeviceMemory(CudaBuffer):
    """Memory of the device, from torch's caching allocator."""

    def record_stream(self, stream: Stream) -> None:
        """See ``DeviceBuffer``."""
        self.tensor.record_stream(torch_stream(stream))


class CudaEvent:
    """A torch event."""

    def __init__(self) -> None:
        self.event = torch.cuda.Event()

    def query(self) -> bool:
        """See ``Event``."""
        return bool(self.event.query())

    def synchronize(self) -> None:
        """See ``Event``."""
        self.event.synchronize()


class CudaStream:
    """A torch stream. Each operation makes it current for itself."""

    def __init__(self, name: str, stream: torch.cuda.Stream, device: Abilities) -> None:
        self.name = name
        self.stream = stream
        self._device = device

    def record(self, event: Event) -> None:
        """See ``Stream``."""
        torch_event(event).record(self.stream)

    def wait(self, event: Event) -> None:
        """See ``Stream``."""
        self.stream.wait_event(torch_event(event))

    def synchronize(self) -> None:
        """See ``Stream``."""
        self.stream.synchronize()

    def query(self) -> bool:
        """See ``Stream``."""
        return bool(self.stream.query())

    def sleep(self, milliseconds: float) -> None:
        """See ``Stream``."""
        with torch.cuda.stream(self.stream):
            torch.cuda._sleep(int(milliseconds * self._device.cycles_per_ms))

    def fill(self, buffer: Buffer, value: int, blocks: Sequence[int] | None = None) -> None:
        """See ``Stream``."""
        tensor = cuda(buffer).tensor
        with torch.cuda.stream(self.stream):
            for first, last in stretches(range(buffer.blocks) if blocks is None else blocks):
                tensor[first : last + 1].fill_(value)

    def add(self, target: Buffer, source: Buffer) -> None:
        """See ``Stream``."""
        with torch.cuda.stream(self.stream):
            cuda(target).tensor.add_(cuda(source).tensor)

    def copy(
        self,
        target: Buffer,
        source: Buffer,
        pairs: Sequence[tuple[int, int]],
        order: SourceOrder = SourceOrder.STREAM,
    ) -> None:
        """See ``Stream``."""
        to, of = cuda(target), cuda(source)
        batch = self._device.batch_copy
        if batch is None or not self.stream.cuda_stream or self._device.capturing:
            with torch.cuda.stream(self.stream):
                for (first, onto), blocks in runs(pairs):
                    to.tensor[onto : onto + blocks].copy_(of.tensor[first : first + blocks], non_blocking=True)
        elif pairs:
            copies = [(to.address(target_block), of.address(block), of.block_bytes) for block, target_block in pairs]
            batch(copies, order.value, self.stream.cuda_stream)

    def replay(self, graph: Graph) -> None:
        """See ``Stream``."""
        assert isinstance(graph, torch.cuda.CUDAGraph)
        with torch.cuda.stream(self.stream):
            graph.replay()

    def read(self, buffer: Buffer) -> bytes:
        """See ``Stream``."""
        with torch.cuda.stream(self.stream):
            copied = cuda(buffer).tensor.cpu()
        return ctypes.string_at(copied.data_ptr(), copied.numel())


def torch_stream(stream: Stream) -> torch.cuda.Stream:
    """A stream that one of our devices made."""
    assert isinstance(stream, CudaStream), "a stream of another device"
    return stream.stream


def torch_event(event: Event) -> torch.cuda.Event:
    """An event that one of our devices made."""
    assert isinstance(event, CudaEvent), "an event of another device"
    return event.event


def runs(pairs: Sequence[tuple[int, int]]) -> Iterator[tuple[tuple[int, int], int]]:
    """First pair and length of each run in which source and target go up together: a copy serves a whole run."""
    for _, group in itertools.groupby(enumerate(pairs), key=lambda pair: (pair[1][0] - pair[0], pair[1][1] - pair[0])):
        run = [pair for _, pair in group]
        yield run[0], len(run)


def stretches(blocks: Sequence[int]) -> Iterator[tuple[int, int]]:
    """First and last of each stretch of neighbouring blocks, so that one operation serves a whole stretch."""
    for _, group in itertools.groupby(enumerate(blocks), key=lambda pair: pair[1] - pair[0]):
        stretch = [block for _, block in group]
        yield stretch[0], stretch[-1]
