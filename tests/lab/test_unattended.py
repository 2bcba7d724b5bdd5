"""A suite's own settings neither keep a trial from running here and once, nor let it touch what its own run wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from triage_bot.core.arms import AS_IS
from triage_bot.core.results import Outcome
from triage_bot.errors import LabError
from triage_bot.lab.pytest_lab import PytestLab

TESTS = """
import pytest

def test_fails():
    assert False
def test_passes():
    pass
"""
ELSEWHERE = """
import pytest

class Elsewhere:
    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item, nextitem):
        return True

def pytest_addoption(parser, pluginmanager):
    pluginmanager.register(Elsewhere(), {name!r})
"""
DISTRIBUTING = """
import pytest

def pytest_addoption(parser):
    parser.addoption("--dist", default="no")
    parser.addoption("--numprocesses", type=int)

class Distributing:
    def pytest_collection(self):
        return True

@pytest.hookimpl(trylast=True)
def pytest_configure(config):
    if config.getoption("dist") != "no" or config.getoption("numprocesses"):
        config.pluginmanager.register(Distributing())
"""


def suite(folder: Path, options: str = "", conftest: str = "", settings: str = "") -> Path:
    (folder / "suite").mkdir()
    (folder / "suite" / "pytest.ini").write_text(f"[pytest]\naddopts = {options}\n{settings}\n")
    (folder / "suite" / "conftest.py").write_text(conftest)
    (folder / "suite" / "test_it.py").write_text(TESTS)
    return folder / "suite"


def outcomes(folder: Path, *arguments: str) -> tuple[Outcome, Outcome]:
    with PytestLab([str(folder / "suite"), *arguments], folder / "lab", timeout=30.0) as lab:
        return tuple(lab.run(f"test_it.py::test_{test}", AS_IS, 0).outcome for test in ("fails", "passes"))  # type: ignore[return-value]


@pytest.mark.parametrize(
    "options",
    [
        "--lf --ff --sw",
        "-p no:cacheprovider --strict-config",
        "-p no:terminal",
        "-qqq -s --no-header --no-summary --tb=no",
        "-x --maxfail=1",
        "--setup-plan",
        "--pdb --trace",
        "--co",
    ],
)
def test_the_options_of_a_suite_do_not_keep_its_tests_from_running(tmp_path: Path, options: str) -> None:
    suite(tmp_path, options)
    assert outcomes(tmp_path) == (Outcome.FAILED, Outcome.PASSED)


@pytest.mark.parametrize("plugin", ["cacheprovider", "tmpdir", "junitxml", "terminal", "capture", "logging"])
def test_a_plugin_of_pytest_that_is_off_is_not_missed_where_warnings_are_errors(tmp_path: Path, plugin: str) -> None:
    suite(tmp_path, "--strict-config", settings="filterwarnings = error")
    assert outcomes(tmp_path, "-p", f"no:{plugin}") == (Outcome.FAILED, Outcome.PASSED)


def test_tests_are_not_sent_to_other_processes(tmp_path: Path) -> None:
    suite(tmp_path, "-p no:xdist --dist=load --numprocesses=2", DISTRIBUTING)  # a stand-in, where xdist is there or not
    assert outcomes(tmp_path) == (Outcome.FAILED, Outcome.PASSED)


@pytest.mark.parametrize("name", ["rerunfailures", "flaky", "pytest_forked"])
def test_a_plugin_that_runs_tests_itself_is_put_aside(tmp_path: Path, name: str) -> None:
    suite(tmp_path, conftest=ELSEWHERE.format(name=name))
    assert outcomes(tmp_path) == (Outcome.FAILED, Outcome.PASSED)


def test_a_test_that_an_unknown_plugin_runs_elsewhere_has_not_passed(tmp_path: Path) -> None:
    suite(tmp_path, conftest=ELSEWHERE.format(name="unheard-of"))
    with PytestLab([str(tmp_path / "suite")], tmp_path / "lab", timeout=30.0) as lab:
        observation = lab.run("test_it.py::test_passes", AS_IS, 0)
    assert observation.outcome is Outcome.NOT_RUN
    assert "a plugin runs it in another way" in observation.reason


@pytest.mark.parametrize("conftest", ["", "def pytest_collection_modifyitems():\n    raise ValueError('collected')\n"])
def test_the_reports_of_the_suites_own_run_stay_as_they_are(
    tmp_path: Path, conftest: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [tmp_path / name for name in ("report.xml", "run.log", "cache/v/cache/lastfailed")]
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("of the run")
    monkeypatch.chdir(tmp_path)
    suite(tmp_path, "--junitxml=report.xml --log-file=run.log", conftest, f"cache_dir = {tmp_path / 'cache'}")
    if conftest:
        with pytest.raises(LabError, match="ValueError: collected"):
            outcomes(tmp_path)
    else:
        assert outcomes(tmp_path) == (Outcome.FAILED, Outcome.PASSED)
    assert [file.read_text() for file in files] == ["of the run"] * 3


def test_a_suite_that_ends_the_session_while_it_is_collected_says_why(tmp_path: Path) -> None:
    suite(tmp_path, conftest="import pytest\ndef pytest_collection_modifyitems():\n    pytest.exit('no licence')\n")
    with pytest.raises(LabError, match="Exit: no licence"):
        outcomes(tmp_path)


def test_a_suite_that_ends_its_process_while_it_is_collected_is_one_error_that_says_how(tmp_path: Path) -> None:
    suite(tmp_path, conftest="import os\nos._exit(3)\n")
    with pytest.raises(LabError, match="pytest ended by exit code 3 instead of serving trials"):
        outcomes(tmp_path)


def test_a_suite_that_clears_its_environment_is_served(tmp_path: Path) -> None:
    suite(tmp_path, conftest="import os, tempfile\nos.environ.clear()\nos.chdir(tempfile.gettempdir())\n")
    assert outcomes(tmp_path) == (Outcome.FAILED, Outcome.PASSED)


def test_a_process_that_the_suite_starts_at_import_is_seen_running(tmp_path: Path) -> None:
    started = (
        "import subprocess, sys\nSERVER = subprocess.Popen([sys.executable, '-c', 'input()'], stdin=subprocess.PIPE)\n"
    )
    file = suite(tmp_path) / "test_it.py"
    file.write_text(f"{started}def test_runs():\n    assert SERVER.poll() is None\n")
    with PytestLab([str(tmp_path / "suite")], tmp_path / "lab", timeout=30.0) as lab:
        assert lab.run("test_it.py::test_runs", AS_IS, 0).outcome is Outcome.PASSED
        (remark,) = lab.remarks()
    assert remark.startswith("each trial starts a fresh interpreter: the suite started")


def test_trials_leave_no_folder_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "scratch").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "scratch"))
    file = suite(tmp_path) / "test_it.py"
    file.write_text("def test_fails(tmp_path):\n    assert not tmp_path\ndef test_passes(tmp_path):\n    pass\n")
    assert outcomes(tmp_path) == (Outcome.FAILED, Outcome.PASSED)
    assert list((tmp_path / "scratch").iterdir()) == []
