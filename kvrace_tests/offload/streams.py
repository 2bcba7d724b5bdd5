"""What cases and offload code may ask of a device: streams, events, buffers, graphs, a background worker.

Two devices answer it: ``harness.emulator`` in virtual time, and ``harness.cuda`` with torch. Everything is
asynchronous unless its docstring says that the host waits. Bytes are unsigned, 0 to 255; times are milliseconds on
streams and seconds on the host. Nothing here is ordered between streams unless an event orders it, the default stream
included. Frames that set ``__tracebackhide__`` are skipped when a device asks who created a stream.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from enum import Enum, unique
from typing import Protocol

BlockPair = tuple[int, int]
"""Source block and destination block of one copy."""


@unique
class Priority(Enum):
    """How eagerly the device picks a stream's work; orders nothing."""

    HIGH = "high"
    NORMAL = "normal"
    LOW = "low"


@unique
class SourceOrder(Enum):
    """When a batched copy may read its source. Its destination is always written in stream order."""

    STREAM = "stream"
    """When everything before it on the stream is done."""
    ANY = "any"
    """From the moment of the call on: only for a source that nobody writes any more."""


class Buffer(Protocol):
    """Memory of ``blocks`` equal blocks, on the device or page-locked on the host."""

    @property
    def blocks(self) -> int:
        """Number of blocks."""

    @property
    def block_bytes(self) -> int:
        """Size of one block."""

    def free(self) -> None:
        """Give the memory back; device memory may be handed out again at once, in order of its home stream only.

        Page-locked memory is unpinned. Freeing twice does nothing.
        """


class DeviceBuffer(Buffer, Protocol):
    """Memory on the device, from a caching allocator: its home is the stream that it was made for."""

    def record_stream(self, stream: Stream) -> None:
        """Keep the memory, once freed, until the work that ``stream`` has when it is freed is done."""


class HostBuffer(Buffer, Protocol):
    """Page-locked host memory. The host reads and writes it at once, whatever the device does meanwhile."""

    def peek(self, block: int) -> bytes:
        """The bytes of one block as they are now."""

    def poke(self, block: int, value: int) -> None:
        """Set every byte of one block now."""


class Event(Protocol):
    """A point in a stream. Never recorded, it counts as complete."""

    def query(self) -> bool:
        """Whether the work captured by the latest record is done."""

    def synchronize(self) -> None:
        """The host waits for the latest record."""


class Graph(Protocol):
    """Operations that were captured once and are replayed as one operation."""


class Stream(Protocol):
    """A queue of operations that run one after another."""

    @property
    def name(self) -> str:
        """As given at creation."""

    def record(self, event: Event) -> None:
        """Make ``event`` mean everything enqueued here so far."""

    def wait(self, event: Event) -> None:
        """Later operations here run after the record that ``event`` has now; a later record changes nothing."""

    def synchronize(self) -> None:
        """The host waits until everything enqueued here is done."""

    def query(self) -> bool:
        """Whether everything enqueued here is done."""

    def sleep(self, milliseconds: float) -> None:
        """Occupy the stream that long."""

    def fill(self, buffer: DeviceBuffer, value: int, blocks: Sequence[int] | None = None) -> None:
        """Set every byte of ``blocks``, or of the whole buffer."""

    def add(self, target: DeviceBuffer, source: DeviceBuffer) -> None:
        """Add ``source`` to ``target`` byte by byte, modulo 256. Same shape."""

    def copy(
        self, target: Buffer, source: Buffer, pairs: Sequence[BlockPair], order: SourceOrder = SourceOrder.STREAM
    ) -> None:
        """Copy blocks as one batch; the copies of a batch are unordered among themselves."""

    def replay(self, graph: Graph) -> None:
        """Run the captured operations, as one operation."""

    def read(self, buffer: DeviceBuffer) -> bytes:
        """All bytes of a buffer, block after block, read in stream order. The host waits for them."""


class Worker(Protocol):
    """A background thread that handles jobs in the order they were given. It may use the device."""

    @property
    def error(self) -> BaseException | None:
        """What ended it; None while it lives or after an orderly close."""

    def submit(self, job: Callable[[], None]) -> None:
        """Hand over a job. Raises the worker's error when it is dead."""

    def close(self) -> None:
        """Finish the jobs that were given, end the thread, wait for it. Closing twice does nothing."""


class IntraKernel(Protocol):
    """A race between the blocks of one kernel, which no order of streams can prevent or show."""

    def lost_updates(self, rounds: int, *, ordered: bool) -> int:
        """How many of ``rounds`` launches gave a wrong result, with the kernel's own ordering kept or dropped.

        The host waits.
        """


class Streams(Protocol):
    """A device."""

    @property
    def name(self) -> str:
        """``cuda`` or ``emulated``."""

    @property
    def window_ms(self) -> float:
        """How long a producer must be held back here for an unordered consumer to overtake it for sure."""

    @property
    def unordered_sources(self) -> bool:
        """Whether ``SourceOrder.ANY`` makes a difference here; where it does not, a source is read in stream order."""

    @property
    def default_stream(self) -> Stream:
        """The stream that exists without being made."""

    def new_stream(self, name: str, priority: Priority = Priority.NORMAL) -> Stream:
        """A stream of its own."""

    def new_event(self) -> Event:
        """An event, not recorded yet."""

    def device_buffer(self, blocks: int, block_bytes: int, home: Stream | None = None) -> DeviceBuffer:
        """Device memory with undefined contents; ``home`` defaults to the default stream."""

    def host_buffer(self, blocks: int, block_bytes: int) -> HostBuffer:
        """Page-locked host memory, all zeros."""

    def capture(self, stream: Stream) -> AbstractContextManager[Graph]:
        """While it is entered, operations on ``stream`` go into the graph instead of running.

        The host waits for the whole device first.
        """

    def synchronize(self) -> None:
        """The host waits for the whole device."""

    def worker(self, name: str) -> Worker:
        """A background thread, started."""

    def wait_until(self, condition: Callable[[], bool], timeout: float) -> bool:
        """Poll ``condition`` from the host for at most ``timeout`` seconds; its last answer. No device wait."""

    def mark(self, text: str) -> None:
        """Leave a note in the device's trace, such as the phase that begins."""

    def now(self) -> float:
        """Monotonic host time in seconds."""

    def host_sleep(self, seconds: float) -> None:
        """Delay the calling thread."""

    def intra_kernel(self) -> IntraKernel | None:
        """None where kernels have no blocks of their own."""
