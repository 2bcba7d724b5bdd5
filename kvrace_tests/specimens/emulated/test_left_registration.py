"""A test page-locks memory of its module and never unlocks it; the next one locks it again and is refused.

The device is idle in between and draining it changes nothing: order-dependent. The twins unlock what they locked.
"""

from __future__ import annotations

import pytest

from kvrace_tests.harness.faults import register_host, unregister_host
from kvrace_tests.offload.streams import Streams

TRUTH = {
    "test_region_can_be_locked": "healthy",
    "test_region_is_used": "order-dependent",
    "test_other_region_can_be_locked": "healthy",
    "test_other_region_is_used": "healthy",
}
POLLUTER = "test_region_can_be_locked"

_left = bytearray(64)
_unlocked = bytearray(64)


@pytest.mark.stream
def test_region_can_be_locked(device: Streams) -> None:
    register_host(device, _left)


@pytest.mark.stream
def test_region_is_used(device: Streams) -> None:
    register_host(device, _left)
    unregister_host(device, _left)


@pytest.mark.stream
def test_other_region_can_be_locked(device: Streams) -> None:
    register_host(device, _unlocked)
    unregister_host(device, _unlocked)


@pytest.mark.stream
def test_other_region_is_used(device: Streams) -> None:
    register_host(device, _unlocked)
    unregister_host(device, _unlocked)
