"""A failure that a report tells is known again when a trial shows it, however its traceback was written."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from triage_bot.adapters.junit.reading import read_reports
from triage_bot.core.alike import alike
from triage_bot.core.arms import AS_IS
from triage_bot.core.resolve import Resolver
from triage_bot.lab.pytest_lab import PytestLab

FILES = {
    "pytest.ini": "[pytest]\npythonpath = .\n",
    "backend/__init__.py": "def store(block):\n    _copy(block)\n\ndef _copy(block):\n    raise ValueError(block)\n",
    "tests/conftest.py": "import pytest\n\n@pytest.fixture\ndef broken():\n    raise RuntimeError('no device')\n",
    "tests/helper.py": "def same(one, other):\n    __tracebackhide__ = True\n    assert one == other, 'torn'\n",
    "tests/test_it.py": """
import json, sys
import pytest
from backend import store
from helper import same

def test_code_under_test():
    store(3)
def test_library():
    json.loads("{")
def test_hidden_helper():
    same(1, 2)
def test_fixture(broken):
    pass
def test_context():
    with pytest.raises(KeyError):
        pass
def test_control_characters():
    raise ValueError("\\x1b[31mred\\x1b[0m and \\x07")
def test_long_line():
    assert False, "x" * 9000
def test_chain():
    try:
        store(1)
    except ValueError as error:
        raise RuntimeError("gave up") from error
def test_without_words():
    raise SystemExit
def test_no_fixture(no_such_fixture):
    pass
@pytest.mark.xfail(strict=True, reason="known")
def test_passes_after_all():
    pass
def test_local_exception():
    class Torn(Exception):
        pass
    raise Torn("block 3")
class TestClass:
    def test_method(self):
        assert [1, 2] == [1, 3]
""",
}


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        file = tmp_path / "suite" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path / "suite"


def test_what_a_report_tells_of_a_failure_is_what_a_trial_shows(suite: Path, tmp_path: Path) -> None:
    styles = ("auto", "short")
    for style in styles:
        command = [sys.executable, "-m", "pytest", "-q", f"--tb={style}", f"--junitxml={tmp_path / style}.xml", "tests"]
        subprocess.run([*command, "-p", "no:cacheprovider"], cwd=suite, check=False, capture_output=True, timeout=60)
    reported = {style: read_reports([f"{tmp_path / style}.xml"])[0].failing for style in styles}
    with PytestLab([str(suite / "tests")], tmp_path / "lab", timeout=60.0) as lab:
        tests = [test.node_id for test in lab.collected()]
        shown = {test: lab.run(test, AS_IS, number).failure for number, test in enumerate(tests)}
    resolver = Resolver(tests)
    for style, results in reported.items():
        assert len(results) == len(tests)
        for result in results:
            trial = shown[str(resolver.resolve(result.id))]
            assert result.failure is not None
            assert trial is not None
            assert alike(result.failure, trial), (style, result.failure, trial)
