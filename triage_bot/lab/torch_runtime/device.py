"""The seam between what torch tells and the device it runs on, so that the wiring can be tested on any machine.

A *handle* names a stream: the driver's pointer, or ``-i`` for the default stream of device ``i``, which has none.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Protocol


class Device(Protocol):
    """Acts on streams without anybody being told."""

    def handle(self, pointer: int) -> int:
        """The handle of a stream of the current device."""

    def current(self, device: int | None = None) -> int:
        """The handle of the stream that is current on ``device``, else on the current device."""

    def defaults(self) -> Collection[int]:
        """The default streams of the devices that were used; none before the first use."""

    def complete(self, handle: int) -> bool:
        """Whether a stream has no work left. True for a device that has failed: nothing runs there any more."""

    def wait_stream(self, handle: int) -> None:
        """Block until a stream has no work left."""

    def wait_event(self, event: int) -> None:
        """Block until an event has happened."""

    def wait_device(self) -> None:
        """Block until the current device has no work left."""

    def wait_all(self) -> None:
        """Block until the devices that were used have no work left."""

    def spin(self, handle: int, seconds: float) -> None:
        """Enqueue a kernel that does nothing for a while."""

    def capturing(self) -> bool:
        """Whether the current stream captures a graph."""

    def when_ready(self, prepare: Callable[[], None]) -> None:
        """Call ``prepare`` as soon as the device is initialized; now, if it is."""

    def prepare(self) -> None:
        """Measure what ``spin`` must know."""

    def describe(self) -> Mapping[str, str]:
        """``device``, ``driver`` and ``torch``."""
