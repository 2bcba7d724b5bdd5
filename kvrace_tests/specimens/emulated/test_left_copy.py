"""A test ends while a copy into a page-locked buffer of the module is under way.

The first test checks what it launched, not what arrived, and passes. The second writes the buffer on the host and
passes alone; after the first the late copy overwrites it, unless the device is drained in between: cross-test
contamination by the first test. The last two tests have a buffer of their own, and wait.
"""

from __future__ import annotations

import pytest

from kvrace_tests.offload.streams import HostBuffer, Streams

TRUTH = {
    "test_copy_is_launched": "healthy",
    "test_host_bytes_stay": "cross-test-contamination",
    "test_copy_is_done": "healthy",
    "test_host_bytes_stay_after_copy": "healthy",
}
POLLUTER = "test_copy_is_launched"

SIZE = 32

_pinned: dict[str, HostBuffer] = {}


def _buffer(device: Streams, name: str) -> HostBuffer:
    if name not in _pinned:
        _pinned[name] = device.host_buffer(1, SIZE)
    return _pinned[name]


def _copy_slowly(device: Streams, pinned: HostBuffer, *, wait: bool) -> None:
    data = device.device_buffer(1, SIZE)
    stream = device.new_stream("slow")
    stream.fill(data, 3)
    stream.sleep(60.0)
    stream.copy(pinned, data, [(0, 0)])
    if wait:
        stream.synchronize()


def _write(device: Streams, pinned: HostBuffer) -> bytes:
    data = device.device_buffer(1, SIZE)
    stream = device.new_stream("other")
    pinned.poke(0, 4)
    device.host_sleep(0.1)
    stream.copy(data, pinned, [(0, 0)])
    return stream.read(data)


@pytest.mark.stream
def test_copy_is_launched(device: Streams) -> None:
    _copy_slowly(device, _buffer(device, "left"), wait=False)


@pytest.mark.stream
def test_host_bytes_stay(device: Streams) -> None:
    seen = _write(device, _buffer(device, "left"))
    assert seen == bytes([4]) * SIZE, "the host's bytes were overwritten"


@pytest.mark.stream
def test_copy_is_done(device: Streams) -> None:
    _copy_slowly(device, _buffer(device, "waited"), wait=True)


@pytest.mark.stream
def test_host_bytes_stay_after_copy(device: Streams) -> None:
    seen = _write(device, _buffer(device, "waited"))
    assert seen == bytes([4]) * SIZE, "the host's bytes were overwritten"
