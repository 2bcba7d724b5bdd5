"""A backend that lost one of its waits: compute reads blocks that a load may still be writing.

The wait is missing in the code under test, between two streams of one statement's making; draining between statements
changes nothing, and without concurrency it cannot happen: an ordering bug. It shows when the load is slow. The twin
uses the whole backend.
"""

from __future__ import annotations

import pytest

from kvrace_tests.offload.backend import EventSlots, OffloadBackend
from kvrace_tests.offload.ordering import KEEP_ALL, Edge, without
from kvrace_tests.offload.streams import Streams

TRUTH = {
    "test_compute_reads_loaded_blocks": "ordering-bug",
    "test_compute_reads_loaded_blocks_in_order": "healthy",
}

BLOCKS = 2
SIZE = 32


def _load_and_read(device: Streams, keep: frozenset[Edge]) -> bytes:
    on_device, on_host = device.device_buffer(BLOCKS, SIZE), device.host_buffer(BLOCKS, SIZE)
    result = device.device_buffer(BLOCKS, SIZE)
    backend = OffloadBackend(device, on_device, on_host, keep)
    compute_stream = device.new_stream("compute")
    for block in range(BLOCKS):
        on_host.poke(block, 7)
    events: EventSlots = [None]
    backend.launch_copy(range(BLOCKS), range(BLOCKS), False, 0, events, None)
    loaded = backend.wait_enqueued(events, 0)
    backend.read_loaded(compute_stream, loaded)
    compute_stream.copy(result, on_device, [(0, 0), (1, 1)])
    seen = compute_stream.read(result)
    backend.close()
    return seen


@pytest.mark.stream
def test_compute_reads_loaded_blocks(device: Streams) -> None:
    seen = _load_and_read(device, without(Edge.COMPUTE_READ_AFTER_LOAD))
    assert seen == bytes([7]) * (BLOCKS * SIZE), "compute read a block before it was loaded"


@pytest.mark.stream
def test_compute_reads_loaded_blocks_in_order(device: Streams) -> None:
    seen = _load_and_read(device, KEEP_ALL)
    assert seen == bytes([7]) * (BLOCKS * SIZE), "compute read a block before it was loaded"
