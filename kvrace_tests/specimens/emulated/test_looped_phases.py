"""Two phases as two turns of one loop: the first turn, which races on purpose, leaves its compute running.

It is the leak of two calls in a row, but the line between them lies inside a loop. The second turn's order is right,
and what disturbs it was left by the first: cross-phase contamination, leaked by the test. In the twin each turn waits
for the stream that it made.
"""

from __future__ import annotations

import pytest

from kvrace_tests.offload.streams import DeviceBuffer, HostBuffer, Streams

TRUTH = {
    "test_looped_phases_save_what_was_computed": "cross-phase-contamination",
    "test_drained_looped_phases_save_what_was_computed": "healthy",
}
LEAKER = "test"
LEAKING_STREAM = "phase_stream"

SIZE = 32
TURNS = 30
COMPUTE_MS = 25.0


def _phase(device: Streams, data: DeviceBuffer, saved: HostBuffer, *, ordered: bool, drained: bool) -> int:
    phase_stream = device.new_stream("phase")
    save_stream = device.new_stream("save")
    computed = device.new_event()
    wrong = 0
    for i in range(TURNS):
        value = i + (101 if ordered else 1)
        phase_stream.sleep(COMPUTE_MS)
        phase_stream.fill(data, value)
        if ordered:
            phase_stream.record(computed)
            save_stream.wait(computed)
        save_stream.copy(saved, data, [(0, 0)])
        save_stream.synchronize()
        wrong += saved.peek(0) != bytes([value]) * SIZE
    if drained:
        phase_stream.synchronize()
    return wrong


def _both_phases(device: Streams, *, drained: bool) -> dict[bool, int]:
    data, saved = device.device_buffer(1, SIZE), device.host_buffer(1, SIZE)
    wrong = {}
    for ordered in (False, True):
        wrong[ordered] = _phase(device, data, saved, ordered=ordered, drained=drained)
    return wrong


@pytest.mark.stream
def test_looped_phases_save_what_was_computed(device: Streams) -> None:
    wrong = _both_phases(device, drained=False)
    assert wrong[False] > 0, "vacuous control: saving without a wait never raced"
    assert wrong[True] == 0, f"saved {wrong[True]} wrong results although the copy waited"


@pytest.mark.stream
def test_drained_looped_phases_save_what_was_computed(device: Streams) -> None:
    wrong = _both_phases(device, drained=True)
    assert wrong[False] > 0, "vacuous control: saving without a wait never raced"
    assert wrong[True] == 0, f"saved {wrong[True]} wrong results although the copy waited"
