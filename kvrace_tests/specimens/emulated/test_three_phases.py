"""Warm-up, control, fixed: what the warm-up leaves behind passes the control unseen and meets the fixed phase.

The warm-up waits for its first write. The control wants wrong values, so the other writes do not show there, and it is
drained; the fixed phase, whose barrier is right, meets them: cross-phase contamination, leaked two statements earlier.
One twin waits for all of the warm-up; in the other the warm-up writes memory that nobody else uses.
"""

from __future__ import annotations

import pytest

from kvrace_tests.offload.streams import DeviceBuffer, HostBuffer, Streams

TRUTH = {
    "test_control_and_fixed_after_a_warm_up": "cross-phase-contamination",
    "test_control_and_fixed_after_a_whole_warm_up": "healthy",
    "test_control_and_fixed_beside_a_warm_up": "healthy",
}
LEAKER = "test"
LEAKING_STREAM = "warming"

SIZE = 32
WARM_UPS = 120
WARM_UP_MS = 3.0


def _warm_up(device: Streams, data: DeviceBuffer, *, wait_for: int) -> None:
    warming = device.new_stream("warming")
    written = [device.new_event() for _ in range(WARM_UPS)]
    for event in written:
        warming.sleep(WARM_UP_MS)
        warming.fill(data, 255)
        warming.record(event)
    written[wait_for].synchronize()


def _stale(device: Streams, data: DeviceBuffer, saved: HostBuffer, values: range, *, barrier: bool) -> int:
    writes, copies = device.new_stream("writes"), device.new_stream("copies")
    stale = 0
    for value in values:
        writes.sleep(1.0)
        writes.fill(data, value)
        if barrier:
            written = device.new_event()
            writes.record(written)
            copies.wait(written)
        copies.copy(saved, data, [(0, 0)])
        copies.synchronize()
        stale += saved.peek(0) != bytes([value]) * SIZE
    writes.synchronize()
    return stale


@pytest.mark.stream
def test_control_and_fixed_after_a_warm_up(device: Streams) -> None:
    data, saved = device.device_buffer(1, SIZE), device.host_buffer(1, SIZE)
    _warm_up(device, data, wait_for=0)
    control = _stale(device, data, saved, range(1, 9), barrier=False)
    fixed = _stale(device, data, saved, range(101, 111), barrier=True)
    assert control > 0, "vacuous control: saving without the barrier never raced"
    assert fixed == 0, f"{fixed} saves were stale in spite of the barrier"


@pytest.mark.stream
def test_control_and_fixed_after_a_whole_warm_up(device: Streams) -> None:
    data, saved = device.device_buffer(1, SIZE), device.host_buffer(1, SIZE)
    _warm_up(device, data, wait_for=-1)
    control = _stale(device, data, saved, range(1, 9), barrier=False)
    fixed = _stale(device, data, saved, range(101, 111), barrier=True)
    assert control > 0, "vacuous control: saving without the barrier never raced"
    assert fixed == 0, f"{fixed} saves were stale in spite of the barrier"


@pytest.mark.stream
def test_control_and_fixed_beside_a_warm_up(device: Streams) -> None:
    data, saved = device.device_buffer(1, SIZE), device.host_buffer(1, SIZE)
    _warm_up(device, device.device_buffer(1, SIZE), wait_for=0)
    control = _stale(device, data, saved, range(1, 9), barrier=False)
    fixed = _stale(device, data, saved, range(101, 111), barrier=True)
    assert control > 0, "vacuous control: saving without the barrier never raced"
    assert fixed == 0, f"{fixed} saves were stale in spite of the barrier"
