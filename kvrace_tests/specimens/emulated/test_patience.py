"""Tests that launch, then ask again and again whether it is done, and give up at some point.

Two give up soon, by the clock or by the number of questions: every result would be right, only later: time-sensitive.
They know that the work is not done, unlike the one that pauses and then reads, which nothing orders after the copy: an
ordering bug, though delays show it too. The others ask for as long as it takes.
"""

from __future__ import annotations

import pytest

from kvrace_tests.offload.streams import DeviceBuffer, Stream, Streams

TRUTH = {
    "test_gives_up_after_a_while": "time-sensitive",
    "test_gives_up_after_so_many_questions": "time-sensitive",
    "test_pauses_and_reads": "ordering-bug",
    "test_asks_for_long": "healthy",
    "test_asks_before_it_reads": "healthy",
    "test_asks_and_then_waits": "healthy",
}

SIZE = 32
HAND_OVERS = 24


def _hand_over(device: Streams) -> tuple[Stream, DeviceBuffer]:
    """Launches additions on two streams by turns, each waiting for the other; returns before they are done."""
    one, total = device.device_buffer(1, SIZE), device.device_buffer(1, SIZE)
    there, here = device.new_stream("there"), device.new_stream("here")
    here.fill(one, 1)
    here.fill(total, 0)
    for _ in range(HAND_OVERS):
        added = device.new_event()
        here.add(total, one)
        here.record(added)
        there.wait(added)
        here, there = there, here
    return here, total


@pytest.mark.stream
def test_gives_up_after_a_while(device: Streams) -> None:
    last, total = _hand_over(device)
    done = device.wait_until(last.query, 0.060)
    device.synchronize()
    assert done, "the hand-overs never ended"
    assert last.read(total) == bytes([HAND_OVERS]) * SIZE, "an addition is missing"


@pytest.mark.stream
def test_gives_up_after_so_many_questions(device: Streams) -> None:
    last, total = _hand_over(device)
    questions = 0
    while not last.query() and questions < 50:
        device.host_sleep(0.0001)
        questions += 1
    device.synchronize()
    assert questions < 50, "gave up asking"
    assert last.read(total) == bytes([HAND_OVERS]) * SIZE, "an addition is missing"


@pytest.mark.stream
def test_pauses_and_reads(device: Streams) -> None:
    last, total = _hand_over(device)
    pinned = device.host_buffer(1, SIZE)
    last.copy(pinned, total, [(0, 0)])
    device.host_sleep(0.002)
    seen = pinned.peek(0)
    device.synchronize()
    assert seen == bytes([HAND_OVERS]) * SIZE, "the copy is not what was added up"


@pytest.mark.stream
def test_asks_for_long(device: Streams) -> None:
    last, total = _hand_over(device)
    assert device.wait_until(last.query, 30.0), "the hand-overs never ended"
    assert last.read(total) == bytes([HAND_OVERS]) * SIZE, "an addition is missing"


@pytest.mark.stream
def test_asks_before_it_reads(device: Streams) -> None:
    last, total = _hand_over(device)
    pinned = device.host_buffer(1, SIZE)
    last.copy(pinned, total, [(0, 0)])
    while not last.query():
        device.host_sleep(0.0005)
    assert pinned.peek(0) == bytes([HAND_OVERS]) * SIZE, "the copy is not what was added up"


@pytest.mark.stream
def test_asks_and_then_waits(device: Streams) -> None:
    last, total = _hand_over(device)
    busy = not last.query()
    assert busy or last.query(), "a stream that was done is not"
    assert last.read(total) == bytes([HAND_OVERS]) * SIZE, "an addition is missing"
