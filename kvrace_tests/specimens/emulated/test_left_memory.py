"""A test keeps most of the device's memory in its module; the next one asks for much and gets none.

Nothing runs in between and draining frees nothing: order-dependent. Alone, the second test has all the memory. The
first test's twin gives its memory back.
"""

from __future__ import annotations

import pytest

from kvrace_tests.offload.streams import DeviceBuffer, Streams

TRUTH = {
    "test_big_cache_fits": "healthy",
    "test_second_cache_fits": "order-dependent",
}
POLLUTER = "test_big_cache_fits"

BLOCKS = 12
BLOCK_BYTES = 1 << 16

_kept: list[DeviceBuffer] = []


@pytest.mark.stream
def test_big_cache_fits(device: Streams) -> None:
    _kept.append(device.device_buffer(BLOCKS, BLOCK_BYTES))
    assert _kept[-1].blocks == BLOCKS


@pytest.mark.stream
def test_second_cache_fits(device: Streams) -> None:
    cache = device.device_buffer(BLOCKS - 1, BLOCK_BYTES)
    stream = device.new_stream("fill")
    stream.fill(cache, 1, [0])
    stream.synchronize()
    cache.free()
