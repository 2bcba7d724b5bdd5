from __future__ import annotations

import sys

import pytest

from kvrace_tests.harness.runtime import EmulatedRuntime
from kvrace_tests.offload.backend import OffloadBackend
from triage_bot.lab.runtime import StreamRuntime


class Told:
    """Writes down what it is told."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def before_launch(self, stream: int) -> None:
        self.lines.append(f"before {stream}")

    def after_launch(self, stream: int) -> None:
        self.lines.append(f"after {stream}")

    def after_wait(self, stream: int) -> None:
        self.lines.append(f"wait {stream}")

    def after_host_sync(self) -> None:
        self.lines.append("sync")

    def after_query(self, subject: int, done: bool) -> None:
        self.lines.append(f"asked: {done}")


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def runtime(told: Told) -> EmulatedRuntime:
    runtime = EmulatedRuntime(1)
    runtime.begin(told, ordinal=0, launches=True)
    return runtime


def test_it_answers_to_the_seam_of_the_probes(runtime: EmulatedRuntime) -> None:
    seam: StreamRuntime = runtime
    assert seam.name == "emulated"
    assert seam.environment()["device"] == "emulated"
    assert seam.gaps() == ()


def test_it_tells_of_launches_waits_and_synchronizations(runtime: EmulatedRuntime, told: Told) -> None:
    device = runtime.device
    stream, event = device.new_stream("stream"), device.new_event()
    handle = stream.lane.handle
    stream.sleep(1.0)
    stream.record(event)
    stream.wait(event)
    event.query()
    event.synchronize()
    stream.synchronize()
    device.synchronize()
    event.query()
    launched = [f"before {handle}", f"after {handle}", f"wait {handle}"]
    assert told.lines == [*launched, "asked: False", "sync", "sync", "sync", "sync", "asked: True"]


def test_a_replay_is_told_as_one_operation_and_a_capture_as_the_wait_before_it(
    runtime: EmulatedRuntime, told: Told
) -> None:
    device = runtime.device
    stream = device.new_stream("stream")
    stream.sleep(5.0)
    told.lines.clear()
    with device.capture(stream) as graph:
        assert stream.lane.idle
        assert runtime.capturing()
        stream.sleep(1.0)
        stream.sleep(1.0)
    assert not runtime.capturing()
    assert told.lines == ["sync"]
    stream.replay(graph)
    assert told.lines[1:] == [f"before {stream.lane.handle}", f"after {stream.lane.handle}"]


def test_what_an_observer_does_itself_is_not_told() -> None:
    class Stalling(Told):
        def after_wait(self, stream: int) -> None:
            super().after_wait(stream)
            runtime.stall(stream, 0.005)
            runtime.synchronize()

    observer = Stalling()
    runtime = EmulatedRuntime(1)
    runtime.begin(observer, ordinal=0, launches=True)
    stream, event = runtime.device.new_stream("stream"), runtime.device.new_event()
    stream.record(event)
    stream.wait(event)
    assert observer.lines == [f"wait {stream.lane.handle}"]


def test_a_stall_occupies_its_stream_and_no_thread(runtime: EmulatedRuntime) -> None:
    stream = runtime.device.new_stream("stream")
    began = runtime.device.now()
    runtime.stall(stream.lane.handle, 1.0)
    assert runtime.device.now() - began < 0.1
    (drained,) = runtime.drain([stream.lane.handle])
    assert drained.seconds == pytest.approx(1.0, rel=0.1)


def test_a_host_stall_passes_virtual_time(runtime: EmulatedRuntime) -> None:
    began = runtime.device.now()
    runtime.stall_host(2.0)
    assert runtime.device.now() - began == pytest.approx(2.0)


def test_busy_streams_are_those_with_work_and_draining_names_each_in_the_order_asked(runtime: EmulatedRuntime) -> None:
    streams = [runtime.device.new_stream(name) for name in ("one", "two", "three")]
    for stream in streams[:2]:
        stream.sleep(1.0)
    one, two, _ = (stream.lane.handle for stream in streams)
    assert list(runtime.busy()) == [one, two]
    assert [drained.handle for drained in runtime.drain([two, one])] == [two, one]
    assert list(runtime.busy()) == []


def test_streams_are_listed_in_the_order_of_first_use_with_the_place_that_made_them(runtime: EmulatedRuntime) -> None:
    device = runtime.device
    backend = OffloadBackend(device, device.device_buffer(1, 8), device.host_buffer(1, 8))
    unused = device.new_stream("unused")
    mine = device.new_stream("mine")
    mine.sleep(1.0)
    backend.launch_copy([0], [0], True, 0, [None], None)
    backend.close()
    first, second = runtime.streams()
    assert (first.variable, first.file, first.function) == ("mine", __file__, "test_" + first.function[5:])
    assert second.variable == "_store_stream"
    assert second.file.endswith("kvrace_tests/offload/backend.py")
    assert unused.lane.handle not in {first.handle, second.handle}


@pytest.mark.skipif(sys.version_info < (3, 11), reason="columns of the running call are known from Python 3.11 on")
def test_streams_that_one_line_makes_have_their_own_names(runtime: EmulatedRuntime) -> None:
    device = runtime.device
    left, right = device.new_stream("left"), device.new_stream("right")
    first, *others = device.new_stream("first"), device.new_stream("unnamed")
    for stream in (left, right, first, *others):
        stream.sleep(1.0)
    assert [info.variable for info in runtime.streams()] == ["left", "right", "first", ""]


def test_the_default_stream_has_no_place(runtime: EmulatedRuntime) -> None:
    runtime.device.default_stream.sleep(1.0)
    (info,) = runtime.streams()
    assert (info.variable, info.file, info.line) == ("default", "", 0)


def test_each_trial_is_another_schedule_and_the_same_trial_the_same() -> None:
    def trace(ordinal: int) -> str:
        runtime = EmulatedRuntime(1)
        runtime.begin(Told(), ordinal=ordinal, launches=False)
        runtime.device.new_stream("stream").sleep(1.0)
        runtime.device.synchronize()
        return runtime.device.run.trace.text()

    assert trace(0) == trace(0)
    assert trace(0) != trace(1)
