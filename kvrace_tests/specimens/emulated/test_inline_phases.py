"""Two phases as two loops of the test function: the first, which races on purpose, leaves its compute running.

The first loop waits for its saves only. Its compute goes on during the second loop and writes the same block between an
ordered write and its save. The second loop's order is right, and what disturbs it was launched by an earlier statement
of the test: cross-phase contamination, leaked by the test. The twin waits for the first loop's stream.
"""

from __future__ import annotations

import pytest

from kvrace_tests.offload.streams import DeviceBuffer, HostBuffer, Stream, Streams

TRUTH = {
    "test_two_loops_save_what_was_computed": "cross-phase-contamination",
    "test_two_drained_loops_save_what_was_computed": "healthy",
}
LEAKER = "test"
LEAKING_STREAM = "racing_stream"

SIZE = 32
TURNS = 30
COMPUTE_MS = 25.0


def _compute(stream: Stream, data: DeviceBuffer, value: int) -> None:
    stream.sleep(COMPUTE_MS)
    stream.fill(data, value)


def _save(stream: Stream, saved: HostBuffer, data: DeviceBuffer, value: int) -> bool:
    stream.copy(saved, data, [(0, 0)])
    stream.synchronize()
    return saved.peek(0) != bytes([value]) * SIZE


@pytest.mark.stream
def test_two_loops_save_what_was_computed(device: Streams) -> None:
    data, saved = device.device_buffer(1, SIZE), device.host_buffer(1, SIZE)
    save_stream = device.new_stream("save")
    racing_stream = device.new_stream("racing")
    raced = 0
    for i in range(TURNS):
        _compute(racing_stream, data, i + 1)
        raced += _save(save_stream, saved, data, i + 1)
    ordered_stream = device.new_stream("ordered")
    computed = device.new_event()
    wrong = 0
    for i in range(TURNS):
        _compute(ordered_stream, data, i + 101)
        ordered_stream.record(computed)
        save_stream.wait(computed)
        wrong += _save(save_stream, saved, data, i + 101)
    assert raced > 0, "vacuous control: saving without a wait never raced"
    assert wrong == 0, f"saved {wrong} wrong results although the copy waited"


@pytest.mark.stream
def test_two_drained_loops_save_what_was_computed(device: Streams) -> None:
    data, saved = device.device_buffer(1, SIZE), device.host_buffer(1, SIZE)
    save_stream = device.new_stream("save")
    racing_stream = device.new_stream("racing")
    raced = 0
    for i in range(TURNS):
        _compute(racing_stream, data, i + 1)
        raced += _save(save_stream, saved, data, i + 1)
    racing_stream.synchronize()
    ordered_stream = device.new_stream("ordered")
    computed = device.new_event()
    wrong = 0
    for i in range(TURNS):
        _compute(ordered_stream, data, i + 101)
        ordered_stream.record(computed)
        save_stream.wait(computed)
        wrong += _save(save_stream, saved, data, i + 101)
    ordered_stream.synchronize()
    assert raced > 0, "vacuous control: saving without a wait never raced"
    assert wrong == 0, f"saved {wrong} wrong results although the copy waited"
