"""Whatever a test does to its process, the next trial runs, and what is said of it is what it did."""

from __future__ import annotations

import os
import select
from collections.abc import Iterator
from pathlib import Path

import pytest

from triage_bot.core.arms import AS_IS
from triage_bot.core.results import Failure, Outcome
from triage_bot.core.trials import Observation
from triage_bot.lab.pytest_lab import PytestLab

SUITE = """
import ctypes, os, pathlib, random, shutil, signal, sys, threading, time, unittest
import pytest

random.seed(7)
FIRST = random.random()

class Unspeakable(Exception):
    def __str__(self):
        raise SystemExit("no words")

def test_fine(tmp_path):
    pass
def test_ends_the_run():
    pytest.exit("enough of this")
def test_is_interrupted():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    signal.raise_signal(signal.SIGINT)
@pytest.fixture
def ends_the_run():
    raise KeyboardInterrupt("in setup")
def test_fixture_ends_the_run(ends_the_run):
    pass
def test_replaces_what_answers():
    import json
    os._exit = os.getpid = json.dumps = pathlib.Path.write_text = lambda *_, **__: "nothing"
    os.umask(0o777)
def test_cannot_be_told():
    raise Unspeakable
def test_records_what_cannot_be_told(record_property):
    record_property("odd", Unspeakable())
@pytest.mark.xfail(strict=True, reason="known")
def test_passes_though_it_should_fail():
    pass
@pytest.mark.xfail(reason="known")
def test_fails_as_it_should():
    assert False
def test_closes_every_file():
    os.closerange(0, 1000)
    assert False
def test_clears_the_lab_away():
    shutil.rmtree(os.environ["LAB"])
    assert False, "cleared"
def test_cannot_write_its_answer():
    pathlib.Path(os.environ["LAB"], "answer-9.json").mkdir(parents=True)
def test_leaves_a_daemon():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            pathlib.Path(os.environ["TOLD"]).write_text(str(os.getpid()))
            time.sleep(600)
        os._exit(0)
    os.wait()
    while not pathlib.Path(os.environ["TOLD"]).exists():
        time.sleep(0.01)
def test_forks_and_comes_back_twice():
    assert os.fork() == 0, "the parent fails"
    time.sleep(0.05)
def test_kills_who_forked_it():
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(600)
def test_dies():
    print("last words", file=sys.__stderr__)
    ctypes.string_at(0)
def test_draws_its_seed():
    assert random.Random(7).random() == FIRST
    twin = random.Random(7)
    twin.random()
    assert random.random() == twin.random()
def test_needs_the_cache(request):
    assert request.config.cache.get("seen", 0) == 0
    request.config.cache.set("seen", 1)
class TestParts(unittest.TestCase):
    def test_parts(self):
        for number in range(3):
            with self.subTest(number=number):
                self.assertNotEqual(number, 1)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("hostile")
    (folder / "suite").mkdir()
    (folder / "suite" / "pytest.ini").write_text("[pytest]\n")
    (folder / "suite" / "test_it.py").write_text(SUITE)
    return folder


@pytest.fixture(scope="module")
def lab(folder: Path) -> Iterator[PytestLab]:
    os.environ.update(LAB=str(folder / "lab"), TOLD=str(folder / "told"))
    with PytestLab([str(folder / "suite")], folder / "lab", timeout=30.0) as running:
        assert running.run("test_it.py::test_fine", AS_IS, 0).outcome is Outcome.PASSED
        yield running


def shown(lab: PytestLab, test: str) -> Observation:
    return lab.run(f"test_it.py::{test}", AS_IS, 9 if "answer" in test else 1)


def failure(observation: Observation) -> Failure:
    assert observation.failure is not None
    return observation.failure


def test_a_test_that_replaces_what_the_answer_needs_is_answered_all_the_same(lab: PytestLab) -> None:
    assert shown(lab, "test_replaces_what_answers").outcome is Outcome.PASSED
    assert shown(lab, "test_fine").outcome is Outcome.PASSED


@pytest.mark.parametrize(
    ("test", "outcome", "kind", "message"),
    [
        ("test_ends_the_run", Outcome.FAILED, "Exit", "enough of this"),
        ("test_is_interrupted", Outcome.FAILED, "KeyboardInterrupt", ""),
        ("test_fixture_ends_the_run", Outcome.ERRORED, "KeyboardInterrupt", "in setup"),
        ("test_cannot_be_told", Outcome.FAILED, "Unspeakable", "<Unspeakable whose text raises SystemExit>"),
    ],
)
def test_what_ends_a_whole_run_is_a_failure_with_its_place(
    lab: PytestLab, test: str, outcome: Outcome, kind: str, message: str
) -> None:
    observation = shown(lab, test)
    told = failure(observation)
    assert (observation.outcome, told.type, told.message, told.file) == (outcome, kind, message, "test_it.py")
    assert told.line > 0


def test_a_pass_that_should_have_failed_is_a_failure_with_a_reason(lab: PytestLab) -> None:
    observation = shown(lab, "test_passes_though_it_should_fail")
    assert observation.outcome is Outcome.FAILED
    assert failure(observation).message == "[XPASS(strict)] known"


def test_a_failure_that_is_expected_says_so(lab: PytestLab) -> None:
    observation = shown(lab, "test_fails_as_it_should")
    assert (observation.outcome, observation.reason) == (Outcome.SKIPPED, "it failed, as it is marked to: known")


def test_a_part_that_fails_fails_the_test(lab: PytestLab) -> None:
    observation = shown(lab, "TestParts::test_parts")
    assert observation.outcome is Outcome.FAILED
    assert "1 == 1" in failure(observation).message


def test_a_test_that_closes_every_file_is_told_as_pytest_tells_it(lab: PytestLab) -> None:
    assert failure(shown(lab, "test_closes_every_file")).type == "OSError"


def test_a_property_without_words_is_no_failure(lab: PytestLab) -> None:
    observation = shown(lab, "test_records_what_cannot_be_told")
    assert (observation.outcome, observation.properties) == (
        Outcome.PASSED,
        (("odd", "<Unspeakable whose text raises SystemExit>"),),
    )


def test_a_test_that_clears_the_lab_away_is_still_told(lab: PytestLab) -> None:
    assert failure(shown(lab, "test_clears_the_lab_away")).message.startswith("cleared")


def test_a_trial_that_cannot_be_told_is_named_so_with_its_reason(lab: PytestLab) -> None:
    observation = shown(lab, "test_cannot_write_its_answer")
    assert (observation.outcome, observation.failure) == (Outcome.NOT_RUN, None)
    assert observation.reason.startswith("IsADirectoryError: ")


def test_a_daemon_that_it_leaves_is_ended(lab: PytestLab, folder: Path) -> None:
    assert shown(lab, "test_leaves_a_daemon").outcome is Outcome.PASSED
    assert ends(int((folder / "told").read_text()))


STARTS_DAEMONS = """
import pathlib, subprocess
PLACE = pathlib.Path(__file__).parent / "daemons"
def daemon():
    with PLACE.open("a") as told:
        print(subprocess.Popen(["sleep", "600"], start_new_session=True).pid, file=told)
daemon()
def test_another():
    daemon()
"""


def test_daemons_of_a_suite_that_cannot_be_forked_are_ended_too(tmp_path: Path) -> None:
    (tmp_path / "suite").mkdir()
    (tmp_path / "suite" / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "suite" / "test_it.py").write_text(STARTS_DAEMONS)
    with PytestLab([str(tmp_path / "suite")], tmp_path / "lab", timeout=30.0) as lab:
        assert "started 'sleep 600'" in lab.remarks()[0]
        assert lab.run("test_it.py::test_another", AS_IS, 0).outcome is Outcome.PASSED
    daemons = (tmp_path / "suite" / "daemons").read_text().split()
    assert len(daemons) == 3
    assert all(ends(int(daemon)) for daemon in daemons)


def test_only_the_process_of_the_trial_answers_for_it(lab: PytestLab) -> None:
    assert failure(shown(lab, "test_forks_and_comes_back_twice")).message.startswith("the parent fails")


def test_a_test_that_kills_who_forked_it_is_told_and_the_next_trial_runs(lab: PytestLab) -> None:
    observation = shown(lab, "test_kills_who_forked_it")
    assert observation.outcome is Outcome.CRASHED
    assert "the one that had forked it ended by signal SIGKILL" in failure(observation).message
    assert shown(lab, "test_fine").outcome is Outcome.PASSED


def test_last_words_are_kept(lab: PytestLab) -> None:
    told = failure(shown(lab, "test_dies"))
    assert "SIGSEGV" in told.message
    assert "Segmentation fault" in told.text


def test_a_forked_child_draws_from_the_seed_that_the_suite_set(lab: PytestLab) -> None:
    assert [shown(lab, "test_draws_its_seed").outcome for _ in range(2)] == [Outcome.PASSED] * 2


def test_a_trial_finds_the_cache_of_pytest_empty(lab: PytestLab, folder: Path) -> None:
    assert [shown(lab, "test_needs_the_cache").outcome for _ in range(2)] == [Outcome.PASSED] * 2
    assert not (folder / "suite" / ".pytest_cache").exists()


def ends(pid: int) -> bool:
    """Whether a process that was killed is gone; the kernel takes its time on a busy machine."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    with os.fdopen(descriptor):
        return bool(select.select([descriptor], [], [], 10)[0])
