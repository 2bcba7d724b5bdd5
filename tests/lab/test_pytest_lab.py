from __future__ import annotations

import os
import select
from collections.abc import Iterator
from pathlib import Path

import pytest

from triage_bot.core.arms import AS_IS, Arm
from triage_bot.core.results import Outcome
from triage_bot.errors import LabError
from triage_bot.lab.pytest_lab import PytestLab
from triage_bot.lab.records import Patch

CONFTEST = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
import pytest
from tests.lab.fake_device import FakeRuntime, FakeStream

DEVICE = FakeRuntime([FakeStream(1, "compute", __file__, 3, "helper")])

def pytest_triage_stream_runtime(config):
    return DEVICE

@pytest.fixture
def device():
    return DEVICE
"""

SUITE = """
import os, signal, subprocess, sys, time
import pytest

STATE = []

def helper(device):
    device.launch(1)
    device.launch(2)
    device.sync(2)

@pytest.mark.stream
def test_leaks(device, record_property):
    helper(device)
    record_property("kept", 3)
    assert not device.work, f"raced: {len(device.work)} corrupt"

def test_passes():
    STATE.append(1)

def test_needs_a_clean_process():
    assert STATE == []

def test_skips():
    pytest.skip("no reason")

def test_dies():
    os.kill(os.getpid(), signal.SIGSEGV)

def test_hangs(tmp_path):
    grandchild = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    with open(os.environ["GRANDCHILD"], "w") as told:
        told.write(str(grandchild.pid))
    time.sleep(600)

def test_teardown_fails(request):
    request.addfinalizer(lambda: 1 / 0)
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    folder = tmp_path / "suite"
    folder.mkdir()
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "test_it.py").write_text(SUITE)
    return folder


@pytest.fixture
def lab(suite: Path, tmp_path: Path) -> Iterator[PytestLab]:
    with PytestLab([str(suite)], tmp_path / "lab", timeout=60.0) as running:
        yield running


def test_a_suite_is_collected_once_with_its_markers(lab: PytestLab) -> None:
    tests = {test.node_id: test.marked_stream for test in lab.collected()}
    assert tests["test_it.py::test_leaks"] is True
    assert tests["test_it.py::test_passes"] is False
    assert lab.remarks() == ()


def test_a_failure_is_observed_with_all_that_makes_another_alike(lab: PytestLab) -> None:
    observation = lab.run("test_it.py::test_leaks", AS_IS, 0)
    assert observation.outcome is Outcome.FAILED
    assert observation.failure is not None
    assert observation.failure.type == "AssertionError"
    assert observation.failure.message.splitlines()[0] == "raced: 1 corrupt"
    assert (observation.failure.file, observation.failure.line) == ("test_it.py", 16)
    assert observation.properties == (("kept", "3"),)
    assert observation.marked_stream
    assert observation.loads_lazily
    assert lab.environment().device == "a list"


def test_a_drained_trial_passes_and_names_the_statement_that_left_work(lab: PytestLab) -> None:
    observation = lab.run("test_it.py::test_leaks", Arm.parse("drained"), 0)
    assert observation.outcome is Outcome.PASSED
    (boundary,) = observation.boundaries
    assert (boundary.statement, boundary.site.file) == ("helper(device)", "test_it.py")
    assert [residue.stream.name for residue in boundary.residues] == ["compute"]


def test_each_trial_has_a_process_of_its_own_and_predecessors_share_it(lab: PytestLab) -> None:
    test, polluter = "test_it.py::test_needs_a_clean_process", "test_it.py::test_passes"
    assert lab.run(polluter, AS_IS, 0).outcome is Outcome.PASSED
    assert lab.run(test, AS_IS, 1).outcome is Outcome.PASSED
    assert lab.run(test, Arm.parse("in-order"), 2, [polluter]).outcome is Outcome.FAILED


def test_skips_and_teardown_errors_are_told_apart(lab: PytestLab) -> None:
    assert lab.run("test_it.py::test_skips", AS_IS, 0).outcome is Outcome.SKIPPED
    errored = lab.run("test_it.py::test_teardown_fails", AS_IS, 1)
    assert errored.outcome is Outcome.ERRORED
    assert errored.failure is not None
    assert (errored.failure.type, errored.failure.when) == ("ZeroDivisionError", "teardown")


def test_a_process_that_dies_is_an_observation_and_the_next_trial_runs(lab: PytestLab) -> None:
    died = lab.run("test_it.py::test_dies", AS_IS, 0)
    assert died.outcome is Outcome.CRASHED
    assert died.failure is not None
    assert "SIGSEGV" in died.failure.message
    assert lab.run("test_it.py::test_passes", AS_IS, 1).outcome is Outcome.PASSED


def test_a_hang_is_ended_with_everything_it_started(
    suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = tmp_path / "grandchild"
    monkeypatch.setenv("GRANDCHILD", str(told))
    with PytestLab([str(suite)], tmp_path / "lab", timeout=3.0) as lab:
        assert lab.run("test_it.py::test_passes", AS_IS, 0).outcome is Outcome.PASSED
        hung = lab.run("test_it.py::test_hangs", AS_IS, 1)
        assert hung.outcome is Outcome.TIMED_OUT
        assert _ends(int(told.read_text()))
        assert lab.run("test_it.py::test_passes", AS_IS, 2).outcome is Outcome.PASSED


def test_a_patch_is_tried_without_touching_the_file(lab: PytestLab, suite: Path) -> None:
    file = suite / "test_it.py"
    fixed = SUITE.replace("    device.sync(2)\n", "    device.sync(2)\n    device.sync(1)\n")
    observation = lab.run("test_it.py::test_leaks", Arm.parse("patched"), 0, patch=Patch(str(file), fixed))
    assert observation.outcome is Outcome.PASSED
    assert file.read_text() == SUITE
    assert lab.run("test_it.py::test_leaks", AS_IS, 1).outcome is Outcome.FAILED


def test_a_suite_that_cannot_be_forked_gets_fresh_interpreters(suite: Path, tmp_path: Path) -> None:
    """A lock that a thread holds at the fork is held for ever in the child."""
    (suite / "test_locked.py").write_text(
        "import threading\n"
        "LOCK, taken = threading.Lock(), threading.Event()\n"
        "import os\n"
        "def hold():\n"
        "    with LOCK:\n"
        "        taken.set()\n"
        "        threading.Event().wait()\n"
        "if any('triage-serve' in word for word in __import__('sys').argv):\n"
        "    threading.Thread(target=hold, daemon=True).start()\n"
        "    taken.wait()\n"
        "def test_takes_the_lock():\n"
        "    with LOCK:\n"
        "        pass\n"
    )
    with PytestLab([str(suite)], tmp_path / "lab", timeout=3.0) as lab:
        assert lab.run("test_locked.py::test_takes_the_lock", AS_IS, 0).outcome is Outcome.PASSED
        assert "a forked child hung where a fresh one answered" in lab.remarks()[0]
        assert lab.run("test_it.py::test_leaks", AS_IS, 1).outcome is Outcome.FAILED


def test_rerunners_and_random_order_do_not_meddle_with_trials(suite: Path, tmp_path: Path) -> None:
    (suite / "conftest.py").write_text(
        CONFTEST
        + "class Reruns:\n"
        + "    @pytest.hookimpl(tryfirst=True)\n"
        + "    def pytest_runtest_protocol(self, item, nextitem):\n"
        + "        return True\n"
        + "def pytest_addoption(parser, pluginmanager):\n"
        + "    pluginmanager.register(Reruns(), 'rerunfailures')\n"
    )
    with PytestLab([str(suite)], tmp_path / "lab") as lab:
        assert lab.run("test_it.py::test_leaks", AS_IS, 0).outcome is Outcome.FAILED


def test_a_suite_that_pytest_refuses_is_one_error_that_quotes_it(tmp_path: Path) -> None:
    with (
        pytest.raises(LabError, match="file or directory not found"),
        PytestLab([str(tmp_path / "missing")], tmp_path / "lab"),
    ):
        pass


def test_modules_that_do_not_import_are_said_and_the_rest_is_served(suite: Path, tmp_path: Path) -> None:
    (suite / "test_broken.py").write_text("import no_such_module\n")
    with PytestLab([str(suite)], tmp_path / "lab") as lab:
        (remark,) = lab.remarks()
        assert remark == "not collected: test_broken.py: ModuleNotFoundError: No module named 'no_such_module'"
        assert lab.run("test_it.py::test_passes", AS_IS, 0).outcome is Outcome.PASSED


def _ends(pid: int) -> bool:
    """Whether a process that was killed is gone; the kernel takes its time on a busy machine."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    with os.fdopen(descriptor):
        return bool(select.select([descriptor], [], [], 10)[0])
