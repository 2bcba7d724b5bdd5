"""Deadlines that hold on a quiet machine, and break as soon as anything takes longer.

The clock starts before the work is launched and every result is right, so it makes no difference what runs beside it or
is left over, only how long it all takes: time-sensitive. The twins do the same work without a deadline, or with one
that is far away.
"""

from __future__ import annotations

from itertools import pairwise

import pytest

from kvrace_tests.offload.streams import Streams

TRUTH = {
    "test_steps_end_in_time": "time-sensitive",
    "test_slowest_step_is_quick": "time-sensitive",
    "test_steps_end_in_good_time": "healthy",
    "test_steps_are_right": "healthy",
}

SIZE = 32
STEPS = 16
STEP_MS = 1.0


def _run_steps(device: Streams) -> tuple[list[float], bool]:
    data = device.device_buffer(1, SIZE)
    stream = device.new_stream("steps")
    laps = [device.now()]
    right = True
    for step in range(STEPS):
        stream.sleep(STEP_MS)
        stream.fill(data, step)
        stream.synchronize()
        laps.append(device.now())
    right &= stream.read(data) == bytes([STEPS - 1]) * SIZE
    return [after - before for before, after in pairwise(laps)], right


@pytest.mark.stream
def test_steps_end_in_time(device: Streams) -> None:
    seconds, right = _run_steps(device)
    assert right, "a step left the wrong bytes"
    assert sum(seconds) < 0.085, f"the steps took {sum(seconds) * 1000:.1f} ms"


@pytest.mark.stream
def test_slowest_step_is_quick(device: Streams) -> None:
    seconds, right = _run_steps(device)
    typical = sorted(seconds)[STEPS // 2]
    assert right, "a step left the wrong bytes"
    assert typical < 0.004, f"a typical step took {typical * 1000:.2f} ms"


@pytest.mark.stream
def test_steps_end_in_good_time(device: Streams) -> None:
    seconds, right = _run_steps(device)
    assert right, "a step left the wrong bytes"
    assert sum(seconds) < 30.0, f"the steps took {sum(seconds):.1f} s"


@pytest.mark.stream
def test_steps_are_right(device: Streams) -> None:
    _, right = _run_steps(device)
    assert right, "a step left the wrong bytes"
