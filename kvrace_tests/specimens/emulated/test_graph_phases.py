"""Two helper calls that replay a captured graph; the first, which races on purpose, leaves replays running.

The replays that the first call left write their own value between a write of the second call and its save, which does
wait. The disturbing work is an earlier statement's: cross-phase contamination, leaked by the test. The twin waits for
its replays; both capture, so whoever probes them must leave a capture alone.
"""

from __future__ import annotations

import pytest

from kvrace_tests.offload.streams import DeviceBuffer, HostBuffer, Streams

TRUTH = {
    "test_replays_are_saved_in_order": "cross-phase-contamination",
    "test_drained_replays_are_saved_in_order": "healthy",
}
LEAKER = "test"
LEAKING_STREAM = "replay_stream"

SIZE = 32
TURNS = 30
COMPUTE_MS = 25.0


def _drive(device: Streams, data: DeviceBuffer, saved: HostBuffer, *, ordered: bool, drained: bool = False) -> int:
    value = 2 if ordered else 1
    replay_stream = device.new_stream("replay")
    save_stream = device.new_stream("save")
    with device.capture(replay_stream) as graph:
        replay_stream.sleep(COMPUTE_MS)
        replay_stream.fill(data, value)
    computed = device.new_event()
    wrong = 0
    for _ in range(TURNS):
        replay_stream.replay(graph)
        if ordered:
            replay_stream.record(computed)
            save_stream.wait(computed)
        save_stream.copy(saved, data, [(0, 0)])
        save_stream.synchronize()
        wrong += saved.peek(0) != bytes([value]) * SIZE
    if drained:
        replay_stream.synchronize()
    return wrong


@pytest.mark.stream
def test_replays_are_saved_in_order(device: Streams) -> None:
    data, saved = device.device_buffer(1, SIZE), device.host_buffer(1, SIZE)
    raced = _drive(device, data, saved, ordered=False)
    wrong = _drive(device, data, saved, ordered=True)
    assert raced > 0, "vacuous control: saving without a wait never raced"
    assert wrong == 0, f"saved {wrong} wrong replays although the copy waited"


@pytest.mark.stream
def test_drained_replays_are_saved_in_order(device: Streams) -> None:
    data, saved = device.device_buffer(1, SIZE), device.host_buffer(1, SIZE)
    raced = _drive(device, data, saved, ordered=False, drained=True)
    wrong = _drive(device, data, saved, ordered=True, drained=True)
    assert raced > 0, "vacuous control: saving without a wait never raced"
    assert wrong == 0, f"saved {wrong} wrong replays although the copy waited"
