"""Code under test of a specimen: a publisher that waits for one of its two copies before it returns."""

from __future__ import annotations

from kvrace_tests.offload.streams import DeviceBuffer, Event, Streams

SLOW_MS = 40.0
"""How much longer the way to the far copy is."""


class Publisher:
    """Copies a buffer of one block to a near and to a far place."""

    def __init__(self, device: Streams, block_bytes: int) -> None:
        self.near = device.device_buffer(1, block_bytes)
        self.far = device.device_buffer(1, block_bytes)
        self._near_stream = device.new_stream("near")
        self._far_stream = device.new_stream("far")

    def push(self, data: DeviceBuffer, ready: Event) -> None:
        """Publish what ``data`` holds at ``ready``. The near copy is done on return, the far one may not be."""
        self._far_stream.wait(ready)
        self._far_stream.sleep(SLOW_MS)
        self._far_stream.copy(self.far, data, [(0, 0)])
        self._near_stream.wait(ready)
        self._near_stream.copy(self.near, data, [(0, 0)])
        self._near_stream.synchronize()

    def flush(self) -> None:
        """The host waits for both copies."""
        self._near_stream.synchronize()
        self._far_stream.synchronize()
