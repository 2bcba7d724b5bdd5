"""Self-validating tests whose control phase cannot race, so that they prove nothing, and say so.

The first holds nothing back, the second waits for the producer before it drops the barrier, the third drops a barrier
that another one makes good. All fail under any timing with the words of a control that never raced: vacuous controls.
The twin's window opens.
"""

from __future__ import annotations

import pytest

from kvrace_tests.offload.streams import Streams

TRUTH = {
    "test_save_orders_without_holding_back": "vacuous-control",
    "test_save_orders_after_synchronized_control": "vacuous-control",
    "test_save_orders_by_two_barriers": "vacuous-control",
    "test_save_orders": "healthy",
}

SIZE = 32
TURNS = 5


def _drive(device: Streams, value: int, *, hold_ms: float, waits: int, synchronized: bool = False) -> int:
    data, saved = device.device_buffer(1, SIZE), device.host_buffer(1, SIZE)
    compute_stream, save_stream = device.new_stream("compute"), device.new_stream("save")
    computed = device.new_event()
    wrong = 0
    for i in range(TURNS):
        if hold_ms:
            compute_stream.sleep(hold_ms)
        compute_stream.fill(data, value + i)
        compute_stream.record(computed)
        if synchronized:
            compute_stream.synchronize()
        for _ in range(waits):
            save_stream.wait(computed)
        save_stream.copy(saved, data, [(0, 0)])
        save_stream.synchronize()
        wrong += saved.peek(0) != bytes([value + i]) * SIZE
    compute_stream.synchronize()
    return wrong


def _judge(control: int, fixed: int) -> None:
    assert control > 0, "vacuous control: the control phase never raced"
    assert fixed == 0, f"saved {fixed} wrong blocks even with the barrier"


@pytest.mark.stream
def test_save_orders_without_holding_back(device: Streams) -> None:
    # The producer is one quick kernel, done long before the slow call that enqueues the copy returns.
    control = _drive(device, 1, hold_ms=0.0, waits=0, synchronized=True)
    fixed = _drive(device, 101, hold_ms=0.0, waits=1)
    _judge(control, fixed)


@pytest.mark.stream
def test_save_orders_after_synchronized_control(device: Streams) -> None:
    control = _drive(device, 1, hold_ms=25.0, waits=0, synchronized=True)
    fixed = _drive(device, 101, hold_ms=25.0, waits=1)
    _judge(control, fixed)


@pytest.mark.stream
def test_save_orders_by_two_barriers(device: Streams) -> None:
    control = _drive(device, 1, hold_ms=25.0, waits=1)
    fixed = _drive(device, 101, hold_ms=25.0, waits=2)
    _judge(control, fixed)


@pytest.mark.stream
def test_save_orders(device: Streams) -> None:
    control = _drive(device, 1, hold_ms=25.0, waits=0)
    fixed = _drive(device, 101, hold_ms=25.0, waits=1)
    _judge(control, fixed)
