"""What the torch runtime tells and does."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch.cuda import _gpu_trace as trace

from triage_bot.lab.torch_runtime.runtime import TorchRuntime

if TYPE_CHECKING:
    from tests.torch.conftest import FakeDevice, Listener

pytestmark = pytest.mark.torch

SIDE = 0x51DE
OTHER = 0x07E4
EVENT = 0xE7


@pytest.fixture
def runtime(device: FakeDevice, listener: Listener) -> TorchRuntime:
    made = TorchRuntime(device)
    made.begin(listener, ordinal=0, launches=False)
    device.asked.clear()
    return made


def allocate() -> None:
    trace.MemoryAllocationCallbacks.fire_callbacks(0xA110C)


def record(stream: int) -> None:
    trace.EventRecordCallbacks.fire_callbacks(EVENT, stream)


def wait(stream: int) -> None:
    trace.EventWaitCallbacks.fire_callbacks(EVENT, stream)


def test_a_wait_of_a_stream_is_told_after_it_entered(runtime: TorchRuntime, listener: Listener) -> None:
    wait(SIDE)
    assert listener.told == [("after_wait", SIDE)]


@pytest.mark.parametrize(
    ("torch_waits", "awaited"),
    [
        (lambda: trace.StreamSynchronizationCallbacks.fire_callbacks(SIDE), ("wait_stream", SIDE)),
        (lambda: trace.EventSynchronizationCallbacks.fire_callbacks(EVENT), ("wait_event", EVENT)),
        (trace.DeviceSynchronizationCallbacks.fire_callbacks, "wait_device"),
    ],
)
def test_a_host_wait_is_told_once_it_is_over(
    device: FakeDevice, listener: Listener, torch_waits: Any, awaited: object
) -> None:
    TorchRuntime(device).begin(listener, ordinal=0, launches=False)
    device.asked = listener.told  # one list shows the order
    torch_waits()
    assert listener.told == [awaited, "after_host_sync"]


def test_what_the_observer_does_is_not_told_to_it(
    runtime: TorchRuntime, device: FakeDevice, listener: Listener
) -> None:
    def act(stream: int) -> None:
        runtime.stall(stream, 0.005)
        wait(OTHER)
        trace.StreamSynchronizationCallbacks.fire_callbacks(OTHER)

    listener.after_wait_do = act
    wait(SIDE)
    assert listener.told == [("after_wait", SIDE)]
    assert [stream.handle for stream in runtime.streams()] == [SIDE]
    assert device.asked == [("spin", SIDE, 0.005)]


def test_an_error_of_the_observer_leaves_the_hooks_alive(runtime: TorchRuntime, listener: Listener) -> None:
    def fail(_stream: int) -> None:
        raise ValueError("observer")

    listener.after_wait_do = fail
    with contextlib.suppress(ValueError):
        wait(SIDE)
    listener.after_wait_do = lambda _stream: None
    wait(OTHER)
    assert listener.told == [("after_wait", SIDE), ("after_wait", OTHER)]


@pytest.mark.parametrize("done", [True, False])
@pytest.mark.parametrize("asked", [torch.cuda.Stream, torch.cuda.Event])
def test_a_query_counts_as_a_host_wait_only_when_it_says_done(
    monkeypatch: pytest.MonkeyPatch, device: FakeDevice, listener: Listener, asked: type, done: bool
) -> None:
    monkeypatch.setattr(asked, "query", lambda _self: done)
    TorchRuntime(device).begin(listener, ordinal=0, launches=False)
    assert asked.query(object()) is done  # type: ignore[attr-defined]  # both classes have it
    assert listener.told == [("after_query", done), *(["after_host_sync"] if done else [])]


def test_streams_are_listed_in_the_order_of_first_use(runtime: TorchRuntime, device: FakeDevice) -> None:
    record(OTHER)
    device.current_handle = SIDE
    allocate()
    wait(OTHER)
    assert [stream.handle for stream in runtime.streams()] == [OTHER, SIDE]


def test_the_default_stream_is_listed_once_work_entered_it(runtime: TorchRuntime) -> None:
    assert runtime.streams() == []
    allocate()
    assert [stream.variable for stream in runtime.streams()] == ["default"]


def test_a_trial_starts_with_no_stream_used(runtime: TorchRuntime, listener: Listener) -> None:
    record(SIDE)
    runtime.begin(listener, ordinal=1, launches=False)
    assert runtime.streams() == []


def test_busy_asks_every_known_stream_and_the_default_one(runtime: TorchRuntime, device: FakeDevice) -> None:
    record(SIDE)
    record(OTHER)
    device.working = {0, OTHER}
    device.asked.clear()
    assert set(runtime.busy()) == {0, OTHER}
    assert {asked[1] for asked in device.asked if isinstance(asked, tuple)} == {0, SIDE, OTHER}


def test_drain_waits_for_each_stream_in_the_given_order(runtime: TorchRuntime, device: FakeDevice) -> None:
    drained = runtime.drain([OTHER, SIDE])
    assert device.asked == [("wait_stream", OTHER), ("wait_stream", SIDE)]
    assert [one.handle for one in drained] == [OTHER, SIDE]
    assert all(one.seconds >= 0 for one in drained)


def test_a_device_that_failed_is_left_to_the_test_to_find(runtime: TorchRuntime, device: FakeDevice) -> None:
    device.failed = True
    assert [one.handle for one in runtime.drain([SIDE])] == [SIDE]
    runtime.stall(SIDE, 0.005)
    runtime.synchronize()


class TestCapture:
    """While a graph is captured the runtime keeps still."""

    @pytest.fixture(autouse=True)
    def bare_graphs(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("capture_begin", "capture_end"):
            monkeypatch.setattr(torch.cuda.CUDAGraph, name, lambda _self, *_, fail=False, **__: 1 / 0 if fail else None)

    def test_nothing_is_told_asked_or_awaited_between_its_ends(self, device: FakeDevice, listener: Listener) -> None:
        runtime = TorchRuntime(device)
        runtime.begin(listener, ordinal=0, launches=False)
        device.asked.clear()
        graph: Any = object()
        torch.cuda.CUDAGraph.capture_begin(graph)
        assert runtime.capturing()
        wait(SIDE)
        trace.StreamSynchronizationCallbacks.fire_callbacks(SIDE)
        assert runtime.busy() == ()
        torch.cuda.CUDAGraph.capture_end(graph)
        assert not runtime.capturing()
        assert (listener.told, device.asked) == ([], [])

    def test_one_that_could_not_begin_is_over(self, device: FakeDevice, listener: Listener) -> None:
        runtime = TorchRuntime(device)
        with pytest.raises(ZeroDivisionError):
            torch.cuda.CUDAGraph.capture_begin(object(), fail=True)  # type: ignore[arg-type, call-arg]
        assert not runtime.capturing()

    def test_one_begun_out_of_sight_is_seen_on_the_current_stream(self, device: FakeDevice, listener: Listener) -> None:
        device.captures = True
        assert TorchRuntime(device).capturing()


def test_a_missing_hook_is_named(monkeypatch: pytest.MonkeyPatch, device: FakeDevice) -> None:
    monkeypatch.delattr(trace, "register_callback_for_event_wait")
    assert "hook-missing:event_wait" in TorchRuntime(device).gaps()


def test_a_torch_without_the_trace_misses_all_of_it(monkeypatch: pytest.MonkeyPatch, device: FakeDevice) -> None:
    monkeypatch.delattr(torch._C, "_activate_gpu_trace")
    gaps = TorchRuntime(device).gaps()
    assert {"hook-missing:event_wait", "hook-missing:stream_synchronization"} <= set(gaps)


def test_this_torch_has_every_hook(runtime: TorchRuntime) -> None:
    assert runtime.gaps() == []


def test_waits_on_another_thread_are_told_on_that_thread(runtime: TorchRuntime, listener: Listener) -> None:
    names: list[str] = []
    listener.after_wait_do = lambda _stream: names.append(threading.current_thread().name)
    thread = threading.Thread(target=wait, args=(SIDE,), name="copier")
    thread.start()
    thread.join()
    assert names == ["copier"]
