"""Two phases in one statement: a comprehension calls the leaking one, then the one that is disturbed.

No line lies between the calls, and still what disturbs the second was left by the first, whose stream is the test's.
In the twin the first call waits for what it launched.
"""

from __future__ import annotations

from functools import partial

import pytest

from kvrace_tests.offload.streams import DeviceBuffer, HostBuffer, Streams

TRUTH = {
    "test_phases_of_one_statement": "cross-phase-contamination",
    "test_drained_phases_of_one_statement": "healthy",
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


@pytest.mark.stream
def test_phases_of_one_statement(device: Streams) -> None:
    phase = partial(_phase, device, device.device_buffer(1, SIZE), device.host_buffer(1, SIZE), drained=False)
    control, fixed = [phase(ordered=ordered) for ordered in (False, True)]
    assert control > 0, "vacuous control: saving without a wait never raced"
    assert fixed == 0, f"saved {fixed} wrong results although the copy waited"


@pytest.mark.stream
def test_drained_phases_of_one_statement(device: Streams) -> None:
    phase = partial(_phase, device, device.device_buffer(1, SIZE), device.host_buffer(1, SIZE), drained=True)
    control, fixed = [phase(ordered=ordered) for ordered in (False, True)]
    assert control > 0, "vacuous control: saving without a wait never raced"
    assert fixed == 0, f"saved {fixed} wrong results although the copy waited"
