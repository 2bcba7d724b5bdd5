"""What a failure element tells: where it was raised, as what, and in which words."""

from __future__ import annotations

from pathlib import Path

import pytest

from triage_bot.adapters.junit.reading import read_reports
from triage_bot.core.results import Failure, Outcome, TestResult


def result(folder: Path, element: str, classname: str = "tests.test_x.TestA") -> TestResult:
    file = folder / "report.xml"
    file.write_text(f"<testsuite><testcase classname='{classname}' name='test_x'>{element}</testcase></testsuite>")
    (found,) = read_reports([str(file)])[0].failing
    return found


def failure(folder: Path, element: str, classname: str = "tests.test_x.TestA") -> Failure:
    found = result(folder, element, classname).failure
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("tests/test_x.py:7: \n_ _ _\nengine/copy.py:3: ValueError", "tests/test_x.py:7"),
        ("tests/test_x.py:7: in a\n    f()\nengine/copy.py:3: in g\nE   ValueError: bad", "tests/test_x.py:7"),
        ("tests/test_x.py:7: \n_ _ _\ntests/helper.py:3: ValueError", "tests/helper.py:3"),
        ("tests/conftest.py:4: \n_ _ _\nengine/copy.py:3: ValueError", "tests/conftest.py:4"),
        ('  File "/ci/tests/test_x.py", line 7, in a\n  File "/ci/copy.py", line 3, in g', "/ci/tests/test_x.py:7"),
        ("test_x.py:7: \n_ _ _\n../engine/copy.py:3: ValueError", "test_x.py:7"),
        ("engine/copy.py:3: \n_ _ _\n/v/site-packages/numpy/x.py:9: ValueError", "engine/copy.py:3"),
        ("tests/test_x.py:7: ValueError\nE   csrc/copy.cu:250: bad", "tests/test_x.py:7"),
    ],
)
def test_a_failure_was_raised_where_the_suite_was_last(tmp_path: Path, text: str, place: str) -> None:
    found = failure(tmp_path, f"<failure message='ValueError: bad'><![CDATA[{text}]]></failure>")
    assert (f"{found.file}:{found.line}", found.type, found.message) == (place, "ValueError", "bad")


def test_a_module_that_is_no_python_is_its_own_place(tmp_path: Path) -> None:
    text = '/lib/python3.12/ast.py:50: in parse\nE     File "/ci/test_x.py", line 2\nE   SyntaxError: invalid syntax'
    element = f"<error message='collection failure'><![CDATA[{text}]]></error>"
    found = failure(tmp_path, element, classname="")
    assert (found.file, found.line, found.type, found.when) == ("/ci/test_x.py", 2, "SyntaxError", "collect")


@pytest.mark.parametrize(("before", "when"), [("", "call"), ("failed on teardown with &quot;", "teardown")])
def test_a_message_that_pytest_shortened_is_told_whole(tmp_path: Path, before: str, when: str) -> None:
    text = f"E       ValueError: {'x' * 600}\nE         second\n\nt.py:3: ValueError"
    message = f"{before}ValueError: {'x' * 488}...&#10;[+1 more line; full report in element text]"
    found = failure(tmp_path, f'<error message="{message}">{text}</error>')
    assert (found.message, found.when) == (f"{'x' * 600}\n  second", when)


def test_a_fixture_that_is_not_there_is_told_in_one_line(tmp_path: Path) -> None:
    said = "file /ci/t.py, line 3&#10;  def test(gpu): pass&#10;E       fixture 'gpu' not found"
    element = f'<error message="failed on setup with &quot;{said}&quot;"/>'
    assert failure(tmp_path, element).message == "fixture 'gpu' not found"


def test_a_fork_that_died_is_a_crash(tmp_path: Path) -> None:
    message = ":-1: running the test CRASHED with signal 11 (SIGSEGV)"
    assert result(tmp_path, f"<failure message='{message}'/>").outcome is Outcome.CRASHED


PYTHON = 'Traceback (most recent call last):\n  File "/ci/test_x.py", line 4, in {}\n    f()\nKeyError: 3\n'


@pytest.mark.parametrize(
    ("element", "message"),
    [
        (f"<failure message='test failure'>{PYTHON.format('test_x')}</failure>", "3"),
        (f"<error>{PYTHON.format('test_x')}</error>", "3"),
        (
            "<failure message='Failed' type=''>=== RUN   TestX\n    a_test.go:4: torn\n--- FAIL: TestX</failure>",
            "a_test.go:4: torn",
        ),
        (
            "<failure message='failure'>\nASSERTION FAILURE:\n- file : x.cc\n- line : 4\n- message: 1 != 2</failure>",
            "1 != 2",
        ),
        ("<error type='TEST_CASE'>\nFAILED:\nboom\nat x.cc:4</error>", "boom"),
        ("<failure message='Failed'/>", ""),
    ],
)
def test_a_message_that_says_nothing_is_left_for_the_line_that_does(tmp_path: Path, element: str, message: str) -> None:
    assert failure(tmp_path, element).message == message


def test_a_teardown_of_unittest_is_part_of_its_test(tmp_path: Path) -> None:
    teardown = f"<error message='boom'>{PYTHON.format('tearDown')}</error>"
    assert failure(tmp_path, teardown).when == "teardown"
    file = tmp_path / "two.xml"
    cases = (f"<testcase name='a'>{element}</testcase>" for element in ("<failure message='own'/>", teardown))
    file.write_text(f"<testsuite>{''.join(cases)}</testsuite>")
    (found,) = read_reports([str(file)])[0].failing
    assert found.failure is not None
    assert found.failure.message == "own"


def test_a_module_that_unittest_could_not_import_is_a_collection_error(tmp_path: Path) -> None:
    assert failure(tmp_path, "<error message='x'/>", classname="unittest.loader._FailedTest").when == "collect"
