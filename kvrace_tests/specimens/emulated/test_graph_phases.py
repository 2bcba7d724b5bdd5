"""Two helper calls that replay a captured graph each; the first, which races on purpose, leaves replays running.

The replays that the first call left write their own value between a write of the second call and its save, which does
wait. The disturbing work is an earlier statement's: cross-phase contamination, leaked by the test. The twin waits for
its replays. Both graphs are captured at the beginning, because capturing waits for the whole device; whoever probes
these tests must leave a capture alone.
"""

from __future__ import annotations

import pytest

from kvrace_tests.offload.streams import DeviceBuffer, Streams

TRUTH = {
    "test_replays_are_saved_in_order": "cross-phase-contamination",
    "test_drained_replays_are_saved_in_order": "healthy",
}
LEAKER = "test"
LEAKING_STREAM = "replay_stream"

SIZE = 32
TURNS = 30
COMPUTE_MS = 25.0


class _Program:
    """A captured graph that fills a buffer with its value after a while."""

    def __init__(self, device: Streams, data: DeviceBuffer, value: int) -> None:
        self.data, self.value = data, value
        self.replay_stream = device.new_stream("replay")
        with device.capture(self.replay_stream) as self.graph:
            self.replay_stream.sleep(COMPUTE_MS)
            self.replay_stream.fill(data, value)


def _drive(device: Streams, program: _Program, *, ordered: bool, drained: bool = False) -> int:
    replay_stream, save_stream = program.replay_stream, device.new_stream("save")
    saved, computed = device.host_buffer(1, SIZE), device.new_event()
    wrong = 0
    for _ in range(TURNS):
        replay_stream.replay(program.graph)
        if ordered:
            replay_stream.record(computed)
            save_stream.wait(computed)
        save_stream.copy(saved, program.data, [(0, 0)])
        save_stream.synchronize()
        wrong += saved.peek(0) != bytes([program.value]) * SIZE
    if drained:
        replay_stream.synchronize()
    return wrong


@pytest.mark.stream
def test_replays_are_saved_in_order(device: Streams) -> None:
    data = device.device_buffer(1, SIZE)
    racing, waiting = _Program(device, data, 1), _Program(device, data, 2)
    raced = _drive(device, racing, ordered=False)
    wrong = _drive(device, waiting, ordered=True)
    assert raced > 0, "vacuous control: saving without a wait never raced"
    assert wrong == 0, f"saved {wrong} wrong replays although the copy waited"


@pytest.mark.stream
def test_drained_replays_are_saved_in_order(device: Streams) -> None:
    data = device.device_buffer(1, SIZE)
    racing, waiting = _Program(device, data, 1), _Program(device, data, 2)
    raced = _drive(device, racing, ordered=False, drained=True)
    wrong = _drive(device, waiting, ordered=True, drained=True)
    assert raced > 0, "vacuous control: saving without a wait never raced"
    assert wrong == 0, f"saved {wrong} wrong replays although the copy waited"
