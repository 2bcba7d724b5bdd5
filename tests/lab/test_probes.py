from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.lab.fake_device import FakeRuntime, FakeStream
from triage_bot.core.arms import Arm
from triage_bot.core.trials import Boundary, Site
from triage_bot.lab.lines import watching
from triage_bot.lab.names import StreamNames
from triage_bot.lab.places import Places
from triage_bot.lab.probes import Probes
from triage_bot.lab.suite import SuiteFiles, function_codes

HERE = Path(__file__)
COMPUTE, COPY, DEFAULT = 1, 2, 3


def helper_that_leaks(device: FakeRuntime) -> None:
    device.launch(COMPUTE)
    device.launch(COPY)
    device.sync(COPY)


def two_phases(device: FakeRuntime) -> None:
    helper_that_leaks(device)
    device.log.append("second phase")


def launches_only(device: FakeRuntime) -> None:
    device.launch(COMPUTE)
    device.log.append("after")


def unrelated_wait(device: FakeRuntime) -> None:
    device.launch(COMPUTE)
    device.sync(COPY)
    device.log.append("after")


def starts_after_its_wait(device: FakeRuntime) -> None:
    device.launch(COPY)
    device.sync(COPY)
    device.launch(COMPUTE)


def started(device: FakeRuntime) -> None:
    starts_after_its_wait(device)
    device.log.append("after")


def leaks_on_the_default_stream(device: FakeRuntime) -> None:
    device.launch(DEFAULT)
    device.launch(COPY)
    device.sync(COPY)


def loop_of_phases(device: FakeRuntime) -> None:
    for _ in range(2):
        helper_that_leaks(device)
        device.log.append("after")


def phases_of_one_statement(device: FakeRuntime) -> None:
    device.log += [str(phase(device)) for phase in (helper_that_leaks, helper_that_logs)]


def helper_that_logs(device: FakeRuntime) -> None:
    device.log.append("after")


def raises_inside(device: FakeRuntime) -> None:
    with pytest.raises(ValueError, match="boom"):
        _boom(device)
    device.log.append("after")


def _boom(device: FakeRuntime) -> None:
    device.launch(COMPUTE)
    device.launch(COPY)
    device.sync(COPY)
    raise ValueError("boom")


def captures(device: FakeRuntime) -> None:
    device.graph = True
    device.launch(COMPUTE)
    device.wait(COMPUTE)
    device.sync(COPY)
    device.graph = False


def run(arm: str, test, device: FakeRuntime | None = None) -> tuple[FakeRuntime, list[Boundary]]:
    device = device or FakeRuntime([FakeStream(COMPUTE, "compute", str(HERE), 3, "f"), FakeStream(COPY, "copy")])
    suite = SuiteFiles(HERE.parent, {HERE})
    deep = "deep" in arm
    codes = [test.__code__]
    if deep:
        codes = list(function_codes(sys.modules[__name__]))
    probes = Probes(Arm.parse(arm), device, StreamNames(device, suite), Places(codes, suite, deep=deep))
    device.begin(probes, ordinal=0, launches=probes.needs_launches)
    probes.begin_phase("call", Site("", 0))
    if probes.needs_lines:
        with watching(codes, probes):
            test(device)
    else:
        test(device)
    probes.end_phase(unconditionally=True)
    return device, probes.boundaries


def test_a_statement_that_waited_and_leaves_work_is_drained_and_witnessed():
    device, boundaries = run("drained", two_phases)
    assert device.log.index("drain 1") < device.log.index("second phase")
    (boundary,) = boundaries
    assert boundary.statement == "helper_that_leaks(device)"
    assert boundary.site.function == "two_phases"
    (residue,) = boundary.residues
    assert (residue.stream.name, residue.stream.in_suite, residue.seconds) == ("compute", True, 1.0)


def test_a_statement_that_merely_launches_leaves_its_work():
    device, _ = run("drained", launches_only)
    assert device.log.index("after") < device.log.index("drain 1")


def reuses_the_stream(device: FakeRuntime) -> None:
    helper_that_leaks(device)
    device.launch(COPY)
    device.launch(COMPUTE)


@pytest.mark.parametrize(("test", "reused"), [(two_phases, False), (reuses_the_stream, True)])
def test_what_was_left_on_a_stream_that_is_used_again_says_so(test, reused):
    _, (boundary, *_) = run("drained", test)
    assert [residue.reused for residue in boundary.residues] == [reused]


def test_a_later_wait_on_another_stream_does_not_drain_what_an_earlier_statement_left():
    device, _ = run("drained", unrelated_wait)
    assert device.log.index("after") < device.log.index("drain 1")


def test_what_a_statement_launches_after_its_last_wait_is_left_in_flight():
    device, _ = run("drained", started)
    assert device.log.index("after") < device.log.index("drain 1")


def test_a_leak_on_the_default_stream_is_of_whoever_launched_there():
    def left_by(test) -> bool:
        _, (boundary, *_) = run(
            "drained", test, FakeRuntime([FakeStream(DEFAULT, "default"), FakeStream(COPY, "copy")])
        )
        return boundary.residues[0].stream.in_suite

    product: dict[str, Any] = {}
    exec(compile("def leak(device):\n    device.launch(3)\n", "/srv/product/engine.py", "exec"), product)

    def leaks_through_a_product(device: FakeRuntime) -> None:
        product["leak"](device)
        leaks_on_the_default_stream(device)

    assert left_by(leaks_on_the_default_stream)
    assert not left_by(leaks_through_a_product)


def test_only_deep_boundaries_lie_inside_a_loop():
    shallow, _ = run("drained", loop_of_phases)
    deep, _ = run("drained-deep", loop_of_phases)
    assert shallow.log.count("drain 1") == 1
    assert deep.log.count("drain 1") == 2
    assert deep.log.index("drain 1") < deep.log.index("after")


def test_two_calls_in_one_statement_are_two_phases_to_a_deep_drain():
    shallow, _ = run("drained", phases_of_one_statement)
    assert "drain 1" not in shallow.log[: shallow.log.index("after")]
    deep, boundaries = run("drained-deep", phases_of_one_statement)
    assert deep.log.index("drain 1") < deep.log.index("after")
    assert {boundary.site.function for boundary in boundaries} == {"phases_of_one_statement"}


def test_each_stream_of_a_place_that_makes_several_can_be_slowed_alone():
    def both() -> FakeRuntime:
        made = [FakeStream(COMPUTE, "streams", str(HERE), 3, "f"), FakeStream(COPY, "streams", str(HERE), 3, "f")]
        return FakeRuntime(made)

    names = StreamNames(both(), SuiteFiles(HERE.parent, {HERE}))
    assert [use.name for use in names.uses()] == ["streams", "streams#1", "streams#2"]
    first, _ = run("skewed:streams#1", helper_that_leaks, both())
    assert first.log[1:4] == ["stall 1", "launch 1", "launch 2"]
    second, _ = run("skewed:streams#2", helper_that_leaks, both())
    assert second.log[1:4] == ["launch 1", "stall 2", "launch 2"]
    every, _ = run("skewed:streams", helper_that_leaks, both())
    assert every.log[1:5] == ["stall 1", "launch 1", "stall 2", "launch 2"]


def test_a_helper_that_raises_does_not_confuse_the_statements_of_its_caller():
    device, boundaries = run("drained-deep", raises_inside)
    assert device.log.index("drain 1") < device.log.index("after")
    assert {boundary.site.function for boundary in boundaries} <= {"raises_inside", "_boom"}


def test_stretched_stalls_the_waiting_stream_and_the_host():
    device = FakeRuntime([FakeStream(COMPUTE, "compute")])

    def test(device: FakeRuntime) -> None:
        device.launch(COMPUTE)
        device.wait(COMPUTE)
        device.sync(COMPUTE)

    run("stretched", test, device)
    assert device.log == ["begin 0 launches=False", "launch 1", "stall 1", "stall host"]


def test_hasty_stalls_the_streams_and_not_the_host():
    device = FakeRuntime([FakeStream(COMPUTE, "compute")])

    def test(device: FakeRuntime) -> None:
        device.wait(COMPUTE)
        device.sync(COMPUTE)

    run("stretched+hasty", test, device)
    assert device.log[1:] == ["stall 1"]


def test_the_last_answers_tell_whether_the_test_asked_in_vain():
    device = FakeRuntime()
    suite = SuiteFiles(HERE.parent, {HERE})
    probes = Probes(Arm.parse("stretched"), device, StreamNames(device, suite), Places([], suite, deep=False))
    probes.after_query(7, done=False)
    probes.after_query(8, done=False)
    probes.after_query(7, done=True)
    assert probes.asked_in_vain
    probes.after_query(8, done=True)
    assert not probes.asked_in_vain


def test_skewed_slows_every_operation_of_the_named_stream_and_no_other():
    device, _ = run("skewed:copy", helper_that_leaks)
    assert device.log == ["begin 0 launches=True", "launch 1", "stall 2", "launch 2"]


def test_serialized_waits_after_each_operation_and_each_wait_with_the_same_stalls():
    device = FakeRuntime([FakeStream(COMPUTE, "compute")])

    def test(device: FakeRuntime) -> None:
        device.launch(COMPUTE)
        device.wait(COMPUTE)

    run("stretched+serialized", test, device)
    assert device.log[1:] == ["launch 1", "synchronize", "stall 1", "synchronize"]


@pytest.mark.parametrize("arm", ["stretched", "skewed:compute", "stretched+serialized", "drained"])
def test_nothing_is_touched_while_a_graph_is_captured(arm):
    device, _ = run(arm, captures)
    at_capture = device.log[1 : device.log.index("launch 1") + 1]
    assert at_capture == ["launch 1"]
    assert not [entry for entry in device.log if entry.startswith(("stall", "synchronize"))]


def test_work_of_setup_passes_to_the_call_unless_setup_waited():
    device = FakeRuntime([FakeStream(COMPUTE, "compute"), FakeStream(COPY, "copy")])
    suite = SuiteFiles(HERE.parent, {HERE})
    probes = Probes(Arm.parse("drained"), device, StreamNames(device, suite), Places([], suite, deep=False))
    device.begin(probes, ordinal=0, launches=True)
    probes.begin_phase("setup", Site("", 0))
    device.launch(COMPUTE)
    probes.end_phase(unconditionally=False)
    assert "drain 1" not in device.log
    probes.begin_phase("setup", Site("", 0))
    device.launch(COMPUTE)
    device.sync(COPY)
    probes.end_phase(unconditionally=False)
    assert "drain 1" in device.log


def phases_on_a_thread(device: FakeRuntime) -> None:
    def body() -> None:
        helper_that_leaks(device)
        device.log.append("after")

    thread = threading.Thread(target=body)
    thread.start()
    thread.join()


def waits_while_another_thread_works(device: FakeRuntime) -> None:
    launched, waited = threading.Event(), threading.Event()

    def work() -> None:
        device.launch(COMPUTE)
        launched.set()
        waited.wait()
        device.log.append("still at work")

    def wait() -> None:
        launched.wait()
        device.launch(COPY)
        device.sync(COPY)
        waited.set()

    threads = [threading.Thread(target=run) for run in (work, wait)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_phases_on_a_thread_that_the_test_starts_have_deep_boundaries():
    shallow, _ = run("drained", phases_on_a_thread)
    assert shallow.log.index("after") < shallow.log.index("drain 1")
    deep, (boundary, *_) = run("drained-deep", phases_on_a_thread)
    assert deep.log.index("drain 1") < deep.log.index("after")
    assert (boundary.statement, boundary.site.function) == ("helper_that_leaks(device)", "body")


def test_a_thread_that_waits_does_not_drain_what_another_one_launched():
    device, _ = run("drained-deep", waits_while_another_thread_works)
    assert device.log.index("still at work") < device.log.index("drain 1")
