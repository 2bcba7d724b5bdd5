from __future__ import annotations

import pytest

from kvrace_tests.harness.emulator import Emulator
from kvrace_tests.offload.backend import CopierDiedError, EventSlots, OffloadBackend
from kvrace_tests.offload.blocks import plan_transfer
from kvrace_tests.offload.streams import Event

SIZE = 16


def _backend(device: Emulator) -> OffloadBackend:
    return OffloadBackend(device, device.device_buffer(2, SIZE), device.host_buffer(2, SIZE))


def test_blocks_come_back_from_the_host_as_they_went() -> None:
    device = Emulator("0")
    on_device, on_host = device.device_buffer(2, SIZE), device.host_buffer(2, SIZE)
    backend = OffloadBackend(device, on_device, on_host)
    compute = device.new_stream("compute")
    compute.fill(on_device, 5)
    events: EventSlots = [None, None]
    backend.launch_copy([0], [1], True, 0, events, backend.point(compute))
    backend.wait_enqueued(events, 0).synchronize()
    compute.fill(on_device, 0)
    backend.launch_copy([1], [0], False, 1, events, backend.point(compute))
    backend.wait_enqueued(events, 1).synchronize()
    assert compute.read(on_device) == bytes([5]) * SIZE + bytes(SIZE)


def test_an_event_is_published_when_its_copy_is_enqueued_and_not_when_it_is_done() -> None:
    device = Emulator("0")
    backend = _backend(device)
    compute = device.new_stream("compute")
    compute.sleep(1_000.0)
    events: EventSlots = [None]
    backend.launch_copy([0], [0], True, 0, events, backend.point(compute))
    published = backend.wait_enqueued(events, 0)
    assert not published.query()


class _BrokenEvent:
    """An event of no device: waiting for it raises on the background thread."""

    def query(self) -> bool:
        return True

    def synchronize(self) -> None:
        return None


def test_a_dead_copier_is_reported_and_not_waited_for() -> None:
    device = Emulator("0")
    backend = _backend(device)
    events: EventSlots = [None, None]
    broken: Event = _BrokenEvent()
    backend.launch_copy([0], [0], True, 0, events, broken)
    began = device.now()
    with pytest.raises(CopierDiedError, match="the copier ended on ValueError"):
        backend.wait_enqueued(events, 0)
    assert device.now() - began < 0.1
    with pytest.raises(CopierDiedError):
        backend.launch_copy([0], [0], True, 1, events, None)
    backend.close()


def test_a_copy_that_is_never_enqueued_is_given_up_after_the_timeout() -> None:
    device = Emulator("0")
    events: EventSlots = [None]
    with pytest.raises(TimeoutError, match=r"copy 0 was not enqueued within 0\.01 s"):
        _backend(device).wait_enqueued(events, 0, timeout=0.01)


@pytest.mark.parametrize(
    ("source", "target", "complaint"),
    [
        ([0, 1], [0], "2 source blocks cannot be copied to 1 target blocks"),
        ([2], [0], "source block 2 is outside the buffer of 2 blocks"),
        ([0], [-1], "target block -1 is outside the buffer of 3 blocks"),
        ([0, 1], [1, 1], "a target block occurs twice"),
    ],
)
def test_a_transfer_that_does_not_fit_is_refused_before_anything_runs(
    source: list[int], target: list[int], complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        plan_transfer(source, target, source_blocks=2, target_blocks=3)
