"""What every case has in common: two phases whose values differ, buffers with a backend, and what a phase came to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum, unique
from typing import Protocol

from kvrace_tests.offload.backend import OffloadBackend
from kvrace_tests.offload.ordering import Edge
from kvrace_tests.offload.streams import DeviceBuffer, HostBuffer, Stream, Streams

BLOCKS = 4
BLOCK_BYTES = 256
ROUNDS = 6
"""Of a phase. A thread that loses the processor can close the window of one round, hardly of all."""


@unique
class Phase(Enum):
    """Which half of a case runs."""

    CONTROL = "control"
    """The edge is dropped: this half must race, else the case proves nothing."""
    FIXED = "fixed"
    """All edges are kept: this half must not race."""

    def tag(self, index: int) -> int:
        """A byte that no other round of either phase uses, never 0: what a phase leaves behind is recognized."""
        return index + (1 if self is Phase.CONTROL else 101)

    def begin(self, device: Streams) -> float:
        """Note the phase in the device's trace; the time."""
        device.mark(self.value)
        return device.now()


@dataclass(frozen=True)
class PhaseResult:
    """What a phase came to."""

    wrong: int
    """Blocks with at least one wrong byte."""
    checked: int
    """Blocks looked at."""
    residual_ms: float
    """How long its streams still ran when the last check was done; they are idle now."""
    seconds: float
    """How long the phase took."""


Drive = Callable[[Streams, frozenset[Edge], Phase], PhaseResult]
"""A case's program: runs once under the edges given, and leaves nothing on the device."""


class Judge(Protocol):
    """Fails a test whose two phases do not show what they must."""

    def __call__(self, edge: Edge, control: PhaseResult, fixed: PhaseResult, *, guard: str) -> None:
        """Fail unless dropping ``edge`` raced and keeping it did not; ``guard`` begins the message of a real race."""


@dataclass(frozen=True)
class Caches:
    """Blocks on the device, blocks on the host, and the backend between them."""

    on_device: DeviceBuffer
    on_host: HostBuffer
    backend: OffloadBackend


@contextmanager
def caches(device: Streams, keep: frozenset[Edge], *, link_ms: float = 0.0) -> Iterator[Caches]:
    """Zeroed buffers and a backend that keeps these edges over a link of that slowness; all given back at the end."""
    on_device = device.device_buffer(BLOCKS, BLOCK_BYTES)
    on_host = device.host_buffer(BLOCKS, BLOCK_BYTES)
    clear(device, on_device)
    backend = OffloadBackend(device, on_device, on_host, keep, link_ms=link_ms)
    try:
        yield Caches(on_device, on_host, backend)
    finally:
        backend.close()
        device.synchronize()
        on_host.free()
        on_device.free()


def clear(device: Streams, buffer: DeviceBuffer) -> None:
    """Zero a buffer and wait: a fill on the default stream is ordered with no other stream."""
    device.default_stream.fill(buffer, 0)
    device.default_stream.synchronize()


def wrong_blocks(seen: bytes, value: int) -> int:
    """How many blocks have a byte that is not ``value``; a torn block is wrong too."""
    expected = bytes([value]) * BLOCK_BYTES
    return sum(seen[at : at + BLOCK_BYTES] != expected for at in range(0, len(seen), BLOCK_BYTES))


def settle(device: Streams, *streams: Stream) -> float:
    """Drain the phase's streams, so that nothing of it runs in the next one; the milliseconds that it took."""
    began = device.now()
    for stream in streams:
        stream.synchronize()
    return (device.now() - began) * 1_000
