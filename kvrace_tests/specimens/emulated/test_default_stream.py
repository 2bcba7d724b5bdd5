"""The control writes on the default stream, the fixed phase on one of its own, and only copies are waited for.

What the control left on the default stream runs in the middle of the fixed phase, whose barrier is right: cross-phase
contamination. Nobody made that stream, but only the test launched on it, so the leak is the test's. In one twin the
test waits for the stream that a phase was given; in the other both phases write on the default stream, which keeps them
in order.
"""

from __future__ import annotations

import pytest

from kvrace_tests.offload.streams import DeviceBuffer, HostBuffer, Stream, Streams

TRUTH = {
    "test_default_stream_and_then_another": "cross-phase-contamination",
    "test_settled_default_stream_and_then_another": "healthy",
    "test_default_stream_twice": "healthy",
}
LEAKER = "test"
LEAKING_STREAM = "default"

SIZE = 32
WRITE_MS = 20.0


class Rig:
    """What both phases share."""

    def __init__(self, device: Streams) -> None:
        self.device = device
        self.data: DeviceBuffer = device.device_buffer(1, SIZE)
        self.saved: HostBuffer = device.host_buffer(1, SIZE)

    def stale(self, writes: Stream, values: range, *, barrier: bool) -> int:
        copies = self.device.new_stream("copies")
        stale = 0
        for value in values:
            writes.sleep(WRITE_MS)
            writes.fill(self.data, value)
            if barrier:
                written = self.device.new_event()
                writes.record(written)
                copies.wait(written)
            copies.copy(self.saved, self.data, [(0, 0)])
            copies.synchronize()
            stale += self.saved.peek(0) != bytes([value]) * SIZE
        return stale


@pytest.mark.stream
def test_default_stream_and_then_another(device: Streams) -> None:
    rig = Rig(device)
    control = rig.stale(device.default_stream, range(1, 41), barrier=False)
    fixed = rig.stale(device.new_stream("own"), range(101, 131), barrier=True)
    assert control > 0, "vacuous control: saving without the barrier never raced"
    assert fixed == 0, f"{fixed} saves were stale in spite of the barrier"


@pytest.mark.stream
def test_settled_default_stream_and_then_another(device: Streams) -> None:
    rig = Rig(device)
    control = rig.stale(device.default_stream, range(1, 41), barrier=False)
    device.default_stream.synchronize()
    fixed = rig.stale(device.new_stream("own"), range(101, 131), barrier=True)
    assert control > 0, "vacuous control: saving without the barrier never raced"
    assert fixed == 0, f"{fixed} saves were stale in spite of the barrier"


@pytest.mark.stream
def test_default_stream_twice(device: Streams) -> None:
    rig = Rig(device)
    control = rig.stale(device.default_stream, range(1, 41), barrier=False)
    fixed = rig.stale(device.default_stream, range(101, 131), barrier=True)
    assert control > 0, "vacuous control: saving without the barrier never raced"
    assert fixed == 0, f"{fixed} saves were stale in spite of the barrier"
