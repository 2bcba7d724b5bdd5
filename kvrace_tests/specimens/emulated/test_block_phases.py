"""Phases that end with a ``with`` block, a ``try`` block or a call of a closure, and leave work running.

Each phase waits for the first of its writes and ends; the second lands while the next phase works on the same block.
Leftover work of a finished statement, on a stream of the test: cross-phase contamination, leaked by the test. It fails
every time. In the twins each phase waits for all it launched.
"""

from __future__ import annotations

from types import TracebackType

import pytest

from kvrace_tests.offload.streams import DeviceBuffer, Streams

TRUTH = {
    "test_write_after_with_block_stays": "cross-phase-contamination",
    "test_write_after_try_block_stays": "cross-phase-contamination",
    "test_writes_after_closure_stay": "cross-phase-contamination",
    "test_write_after_waiting_with_block_stays": "healthy",
    "test_writes_after_waiting_closure_stay": "healthy",
}
LEAKER = "test"
LEAKING_STREAM = "phase_stream"

SIZE = 32


class _Phase:
    """Writes a block twice, the second time late."""

    def __init__(self, device: Streams, *, waits: bool) -> None:
        self._device = device
        self._waits = waits
        self.phase_stream = device.new_stream("phase")

    def __enter__(self) -> _Phase:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._waits:
            self.phase_stream.synchronize()

    def write_twice(self, data: DeviceBuffer) -> None:
        first = self._device.new_event()
        self.phase_stream.fill(data, 1)
        self.phase_stream.record(first)
        self.phase_stream.sleep(30.0)
        self.phase_stream.fill(data, 1)
        first.synchronize()


def _overwrite(device: Streams, data: DeviceBuffer) -> bytes:
    next_stream = device.new_stream("next")
    next_stream.fill(data, 2)
    next_stream.sleep(60.0)
    return next_stream.read(data)


@pytest.mark.stream
def test_write_after_with_block_stays(device: Streams) -> None:
    data = device.device_buffer(1, SIZE)
    with _Phase(device, waits=False) as phase:
        phase.write_twice(data)
    seen = _overwrite(device, data)
    assert seen == bytes([2]) * SIZE, "the block changed after it was written"


@pytest.mark.stream
def test_write_after_try_block_stays(device: Streams) -> None:
    data = device.device_buffer(1, SIZE)
    phase = _Phase(device, waits=False)
    done = False
    try:
        phase.write_twice(data)
        done = True
    finally:
        assert done, "the first write did not come back"
    seen = _overwrite(device, data)
    assert seen == bytes([2]) * SIZE, "the block changed after it was written"


@pytest.mark.stream
def test_write_after_waiting_with_block_stays(device: Streams) -> None:
    data = device.device_buffer(1, SIZE)
    with _Phase(device, waits=True) as phase:
        phase.write_twice(data)
    seen = _overwrite(device, data)
    assert seen == bytes([2]) * SIZE, "the block changed after it was written"


def _changed_after_closure(device: Streams, *, waits: bool) -> int:
    data = device.device_buffer(1, SIZE)

    def write_on_and_on() -> None:
        phase_stream = device.new_stream("phase")
        first = device.new_event()
        for turn in range(20):
            phase_stream.sleep(5.0)
            phase_stream.fill(data, 1)
            if turn == 0:
                phase_stream.record(first)
        first.synchronize()
        if waits:
            phase_stream.synchronize()

    write_on_and_on()
    next_stream = device.new_stream("next")
    changed = 0
    for turn in range(10):
        next_stream.fill(data, turn + 101)
        device.host_sleep(0.006)
        changed += next_stream.read(data) != bytes([turn + 101]) * SIZE
    return changed


@pytest.mark.stream
def test_writes_after_closure_stay(device: Streams) -> None:
    changed = _changed_after_closure(device, waits=False)
    assert changed == 0, f"{changed} blocks changed after they were written"


@pytest.mark.stream
def test_writes_after_waiting_closure_stay(device: Streams) -> None:
    changed = _changed_after_closure(device, waits=True)
    assert changed == 0, f"{changed} blocks changed after they were written"
