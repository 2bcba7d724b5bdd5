"""A kernel's assertion fails after the test that launched it has passed; the next test meets the error.

The error is sticky: once it happened every call of the process fails, drained or not, so what passes on is the state of
a broken context, not work in flight: order-dependent. Alone the second test passes. Of the first nothing is claimed: it
passes only where nobody waits for its kernel.
"""

from __future__ import annotations

import pytest

from kvrace_tests.harness.faults import assert_on_device
from kvrace_tests.offload.streams import Streams

TRUTH = {"test_fill_after_index": "order-dependent"}
POLLUTER = "test_index_is_launched"

SIZE = 32


@pytest.mark.stream
def test_index_is_launched(device: Streams) -> None:
    stream = device.new_stream("index")
    assert_on_device(device, stream, holds=False)


@pytest.mark.stream
def test_fill_after_index(device: Streams) -> None:
    data = device.device_buffer(1, SIZE)
    stream = device.new_stream("fill")
    device.host_sleep(0.001)
    stream.fill(data, 1)
    seen = stream.read(data)
    assert seen == bytes([1]) * SIZE, "the fill is missing"
