"""Failures that hang on dice which nobody controls, neither the seed of the device nor any delay.

The streams are ordered and drained; the dice come from the operating system. No intervention moves the rate: flaky. The
twins roll the same dice and do not mind.
"""

from __future__ import annotations

import secrets

import pytest

from kvrace_tests.offload.streams import Streams

TRUTH = {
    "test_half_of_the_time": "flaky",
    "test_two_times_of_three": "flaky",
    "test_peer_answers": "flaky",
    "test_dice_do_not_matter": "healthy",
    "test_peer_may_stay_silent": "healthy",
}

SIZE = 32


def _roll(device: Streams, sides: int) -> int:
    data = device.device_buffer(1, SIZE)
    stream = device.new_stream("dice")
    stream.fill(data, secrets.randbelow(sides))
    return stream.read(data)[0]


@pytest.mark.stream
def test_half_of_the_time(device: Streams) -> None:
    rolled = _roll(device, 2)
    assert rolled == 0, "the coin fell on its other side"


@pytest.mark.stream
def test_two_times_of_three(device: Streams) -> None:
    rolled = _roll(device, 3)
    assert rolled == 0, "one of the two other sides came up"


@pytest.mark.stream
def test_peer_answers(device: Streams) -> None:
    rolled = _roll(device, 10)
    if rolled < 4:
        raise ConnectionError("the peer did not answer")


@pytest.mark.stream
def test_dice_do_not_matter(device: Streams) -> None:
    rolled = _roll(device, 6)
    assert 0 <= rolled < 6, "the die has no such side"


@pytest.mark.stream
def test_peer_may_stay_silent(device: Streams) -> None:
    answers = sum(_roll(device, 10) < 4 for _ in range(3))
    assert answers <= 3, "the peer answered more often than it was asked"
