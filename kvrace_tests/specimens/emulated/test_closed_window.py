"""Self-validating tests whose control phase cannot race, so that they prove nothing, and say so.

The first saves on the very stream that computes, the second waits for the producer before it saves, the third drops one
barrier of two. All fail under any timing with the words of a control that never raced: vacuous controls.
The twin's window opens.
"""

from __future__ import annotations

import pytest

from kvrace_tests.offload.streams import Streams

TRUTH = {
    "test_save_orders_on_one_stream": "vacuous-control",
    "test_save_orders_after_synchronized_control": "vacuous-control",
    "test_save_orders_by_two_barriers": "vacuous-control",
    "test_save_orders": "healthy",
}

SIZE = 32
TURNS = 5
HOLD_MS = 25.0


def _drive(device: Streams, value: int, *, waits: int, side: bool = True, synchronized: bool = False) -> int:
    data, saved = device.device_buffer(1, SIZE), device.host_buffer(1, SIZE)
    compute_stream = device.new_stream("compute")
    save_stream = device.new_stream("save") if side else compute_stream
    computed = device.new_event()
    wrong = 0
    for i in range(TURNS):
        compute_stream.sleep(HOLD_MS)
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
def test_save_orders_on_one_stream(device: Streams) -> None:
    control = _drive(device, 1, waits=0, side=False)
    fixed = _drive(device, 101, waits=1)
    _judge(control, fixed)


@pytest.mark.stream
def test_save_orders_after_synchronized_control(device: Streams) -> None:
    control = _drive(device, 1, waits=0, synchronized=True)
    fixed = _drive(device, 101, waits=1)
    _judge(control, fixed)


@pytest.mark.stream
def test_save_orders_by_two_barriers(device: Streams) -> None:
    control = _drive(device, 1, waits=1)
    fixed = _drive(device, 101, waits=2)
    _judge(control, fixed)


@pytest.mark.stream
def test_save_orders(device: Streams) -> None:
    control = _drive(device, 1, waits=0)
    fixed = _drive(device, 101, waits=1)
    _judge(control, fixed)
