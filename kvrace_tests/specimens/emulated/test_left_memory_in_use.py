"""A test frees a buffer that one of its kernels has yet to write; the next test is given the same memory.

The first test passes: nobody reads the buffer again. The second is right and passes alone; after the first a late
kernel writes into its buffer, unless the device is drained in between: cross-test contamination by the first test. The
last two tests use another size, and wait before they free.
"""

from __future__ import annotations

import pytest

from kvrace_tests.offload.streams import Streams

TRUTH = {
    "test_scratch_is_freed": "healthy",
    "test_buffer_keeps_its_bytes": "cross-test-contamination",
    "test_scratch_is_freed_when_unused": "healthy",
    "test_other_buffer_keeps_its_bytes": "healthy",
}
POLLUTER = "test_scratch_is_freed"


def _use_scratch(device: Streams, size: int, *, wait: bool) -> None:
    scratch = device.device_buffer(1, size)
    side_stream = device.new_stream("side")
    side_stream.fill(scratch, 1)
    side_stream.sleep(60.0)
    side_stream.fill(scratch, 7)
    if wait:
        side_stream.synchronize()
    scratch.free()


def _keep(device: Streams, size: int) -> bytes:
    data = device.device_buffer(1, size)
    stream = device.new_stream("keep")
    stream.fill(data, 2)
    stream.synchronize()
    device.host_sleep(0.1)
    return stream.read(data)


@pytest.mark.stream
def test_scratch_is_freed(device: Streams) -> None:
    _use_scratch(device, 48, wait=False)


@pytest.mark.stream
def test_buffer_keeps_its_bytes(device: Streams) -> None:
    seen = _keep(device, 48)
    assert seen == bytes([2]) * 48, "the buffer changed under its owner"


@pytest.mark.stream
def test_scratch_is_freed_when_unused(device: Streams) -> None:
    _use_scratch(device, 64, wait=True)


@pytest.mark.stream
def test_other_buffer_keeps_its_bytes(device: Streams) -> None:
    seen = _keep(device, 64)
    assert seen == bytes([2]) * 64, "the buffer changed under its owner"
