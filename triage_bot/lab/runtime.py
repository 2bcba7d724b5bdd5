"""The seam to a device: what the probes may ask of a suite's streams, whatever runs them.

Structural types only, so that a suite can answer with objects of its own and import nothing of ours.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol


class StreamInfo(Protocol):
    """A stream and the place that created it."""

    @property
    def handle(self) -> int:
        """Identifies the stream within the process while it lives."""

    @property
    def variable(self) -> str:
        """The variable or attribute it was assigned to; empty when unreadable; ``default`` for the default stream."""

    @property
    def file(self) -> str:
        """Absolute path of the creating file; empty when unknown."""

    @property
    def line(self) -> int:
        """1-based; 0 when unknown."""

    @property
    def function(self) -> str:
        """Name of the creating function; empty when unknown."""


class Drained(Protocol):
    """What draining one stream took."""

    @property
    def handle(self) -> int:
        """The stream."""

    @property
    def seconds(self) -> float:
        """How long the host waited for it; virtual seconds on an emulated device."""


class StreamObserver(Protocol):
    """What a runtime tells, on the thread that acts. It may call the runtime; such calls are not told again."""

    def before_launch(self, stream: int) -> None:
        """An operation is about to enter ``stream``. A graph replay is one operation."""

    def after_launch(self, stream: int) -> None:
        """An operation has entered ``stream``."""

    def after_wait(self, stream: int) -> None:
        """``stream`` was told to wait for an event or for another stream."""

    def after_host_sync(self) -> None:
        """The host waited for the device, or a query told it that work is complete."""

    def after_query(self, subject: int, done: bool) -> None:
        """The host asked a stream or an event whether it is done, and was told.

        ``subject`` tells those that a trial asks apart. After a yes, ``after_host_sync`` is told, too.
        """


class StreamRuntime(Protocol):
    """The streams of one device. One object for the whole process; a forked child goes on with its copy."""

    name: str
    """``cuda``, ``emulated``, or what a suite calls its own."""
    loads_lazily: bool
    """Whether the first use of a kernel loads it and waits for the device meanwhile, so that a race may hide there."""

    def environment(self) -> Mapping[str, str]:
        """``device``, ``driver`` and ``torch``, as far as they are known. Called in a trial's process only."""

    def begin(self, observer: StreamObserver, *, ordinal: int, launches: bool) -> None:
        """Start a trial: tell ``observer`` everything from here on.

        ``ordinal`` varies what a deterministic device draws from its seed. ``launches`` says whether the observer
        needs ``before_launch`` and ``after_launch``, which may cost; waits and synchronizations are always told.
        """

    def streams(self) -> Sequence[StreamInfo]:
        """The streams used since ``begin``, in the order of first use; the default one only if work entered it.

        A stream counts as used from the moment at which the observer is first told of it: inside ``before_launch``
        it is already listed. When a handle was handed out again, the last entry with it is the living stream.
        """

    def busy(self) -> Collection[int]:
        """Handles of the known streams that still have work. No host wait, and not told to the observer."""

    def drain(self, streams: Collection[int]) -> Sequence[Drained]:
        """Wait for each of ``streams``, in that order."""

    def synchronize(self) -> None:
        """Wait for the whole device."""

    def stall(self, stream: int, seconds: float) -> None:
        """Enqueue a delay on ``stream``; the host does not wait for it."""

    def stall_host(self, seconds: float) -> None:
        """Delay the calling thread; virtual time on an emulated device."""

    def capturing(self) -> bool:
        """Whether any stream captures a graph right now: then no stall, no synchronization, no query."""

    def gaps(self) -> Sequence[str]:
        """What could not be observed since ``begin``: short names such as ``hook-missing:event_wait``."""
