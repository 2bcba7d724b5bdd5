"""Self-validating tests whose control says in nobody's words, or by not raising, that it did not race.

The barrier of the fixed phase is there or is missing, and each phase waits for all its work: an ordering bug where it
is missing, else healthy. Where it is missing, the host takes longer to prepare a copy than the device to compute, and
so it passes until the device is slow. Whoever slows the copies closes the control's window, and so does whoever runs
one operation at a time; that failure is the control's, not the barrier's.
"""

from __future__ import annotations

import pytest

from kvrace_tests.offload.streams import Streams

TRUTH = {
    "test_bare_claims_without_the_barrier": "ordering-bug",
    "test_bare_claims_with_the_barrier": "healthy",
    "test_expected_to_raise_without_the_barrier": "ordering-bug",
    "test_expected_to_raise_with_the_barrier": "healthy",
    "test_list_of_outcomes": "healthy",
}

SIZE = 32
ROUNDS = 8
PREPARING_SECONDS = 0.0005


def _stale(device: Streams, *, barrier: bool, window_ms: float) -> list[int]:
    data, saved = device.device_buffer(1, SIZE), device.host_buffer(1, SIZE)
    compute = device.new_stream("compute")
    copies = device.new_stream("copies")
    stale = []
    for value in range(1, ROUNDS + 1):
        compute.sleep(window_ms)
        compute.fill(data, value)
        if barrier:
            computed = device.new_event()
            compute.record(computed)
            copies.wait(computed)
        device.host_sleep(PREPARING_SECONDS)
        copies.copy(saved, data, [(0, 0)])
        copies.synchronize()
        if saved.peek(0) != bytes([value]) * SIZE:
            stale.append(value)
    compute.synchronize()
    return stale


@pytest.mark.stream
def test_bare_claims_without_the_barrier(device: Streams) -> None:
    control = _stale(device, barrier=False, window_ms=3.0)
    fixed = _stale(device, barrier=False, window_ms=0.0)
    assert control
    assert not fixed


@pytest.mark.stream
def test_bare_claims_with_the_barrier(device: Streams) -> None:
    control = _stale(device, barrier=False, window_ms=3.0)
    fixed = _stale(device, barrier=True, window_ms=3.0)
    assert control
    assert not fixed


@pytest.mark.stream
def test_expected_to_raise_without_the_barrier(device: Streams) -> None:
    with pytest.raises(AssertionError):
        assert not _stale(device, barrier=False, window_ms=3.0)
    fixed = _stale(device, barrier=False, window_ms=0.0)
    assert not fixed, f"{len(fixed)} saves were stale"


@pytest.mark.stream
def test_expected_to_raise_with_the_barrier(device: Streams) -> None:
    with pytest.raises(AssertionError):
        assert not _stale(device, barrier=False, window_ms=3.0)
    fixed = _stale(device, barrier=True, window_ms=3.0)
    assert not fixed, f"{len(fixed)} saves were stale"


@pytest.mark.stream
def test_list_of_outcomes(device: Streams) -> None:
    stale = [bool(_stale(device, barrier=barrier, window_ms=3.0)) for barrier in (False, True)]
    assert stale == [True, False]
