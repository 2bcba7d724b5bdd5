"""The code under test returns with work of its own in flight.

``Publisher.push`` waits for one of its two copies. The test then writes the buffer anew, and the slower copy picks that
up. Leftover work of a finished statement, so cross-phase contamination; but the stream is the library's, and whether it
may return early is a question of its contract: the leaker is the code under test. The twin calls ``flush`` first.
"""

from __future__ import annotations

import pytest

from kvrace_tests.offload.streams import Streams
from kvrace_tests.specimen_support.publisher import Publisher

TRUTH = {
    "test_publisher_keeps_what_was_pushed": "cross-phase-contamination",
    "test_flushed_publisher_keeps_what_was_pushed": "healthy",
}
LEAKER = "code-under-test"
LEAKING_STREAM = "_far_stream"

SIZE = 32


@pytest.mark.stream
def test_publisher_keeps_what_was_pushed(device: Streams) -> None:
    data = device.device_buffer(1, SIZE)
    publisher = Publisher(device, SIZE)
    compute_stream = device.new_stream("compute")
    compute_stream.fill(data, 1)
    ready = device.new_event()
    compute_stream.record(ready)
    publisher.push(data, ready)
    compute_stream.fill(data, 2)
    device.synchronize()
    assert compute_stream.read(publisher.near) == bytes([1]) * SIZE, "the near copy changed"
    assert compute_stream.read(publisher.far) == bytes([1]) * SIZE, "the far copy changed"


@pytest.mark.stream
def test_flushed_publisher_keeps_what_was_pushed(device: Streams) -> None:
    data = device.device_buffer(1, SIZE)
    publisher = Publisher(device, SIZE)
    compute_stream = device.new_stream("compute")
    compute_stream.fill(data, 1)
    ready = device.new_event()
    compute_stream.record(ready)
    publisher.push(data, ready)
    publisher.flush()
    compute_stream.fill(data, 2)
    device.synchronize()
    assert compute_stream.read(publisher.near) == bytes([1]) * SIZE, "the near copy changed"
    assert compute_stream.read(publisher.far) == bytes([1]) * SIZE, "the far copy changed"
