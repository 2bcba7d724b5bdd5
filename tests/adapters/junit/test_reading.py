"""How the dialects of JUnit are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from triage_bot.adapters.junit.reading import read_reports
from triage_bot.core.reports import Report
from triage_bot.core.results import Outcome


def read(folder: Path, document: str | bytes) -> Report:
    file = folder / "report.xml"
    file.write_bytes(document if isinstance(document, bytes) else document.encode())
    (report,) = read_reports([str(file)])
    return report


def suite(body: str, header: str = "") -> str:
    return f'<?xml version="1.0"?><testsuites><testsuite name="pytest" {header}>{body}</testsuite></testsuites>'


def outcomes(report: Report) -> dict[str, str]:
    told = {str(test): "passed" for test in report.order()} | {str(test): "skipped" for test in report.skipped()}
    for result in report.results:
        told[str(result.id)] = "flaky" if result.flaky else result.outcome.value
    return told


def kinds(report: Report) -> set[str]:
    return {problem.kind for problem in report.problems}


@pytest.mark.parametrize(
    ("element", "outcome"),
    [
        ("<testcase name='a'/>", "passed"),
        ("<testcase name='a'><system-out>x</system-out></testcase>", "passed"),
        ("<testcase name='a'><failure/></testcase>", "failed"),
        ("<testcase name='a'><skipped/><failure/><error/></testcase>", "errored"),
        ("<testcase name='a'><failure/><failure/></testcase>", "failed"),
        ("<testcase name='a'><skipped/></testcase>", "skipped"),
        ("<testcase name='a' status='disabled'/>", "skipped"),
        ("<testcase name='a' status='NotRun'/>", "skipped"),
        ("<testcase name='a' result='suppressed'/>", "skipped"),
        ("<testcase name='a' status='disabled'><failure/></testcase>", "failed"),
        ("<testcase name='a' status='run' result='completed'/>", "passed"),
        ("<testcase name='a' status='failed'/>", "failed"),
        ("<testcase name='a' status='TimedOut'/>", "timed-out"),
        ("<testcase name='a' status='crashed'/>", "crashed"),
        ("<testcase name='a' result='failure'/>", "failed"),
        ("<testcase name='a' status='pending'/>", "skipped"),
        ("<testcase name='a' status='untested'/>", "not-run"),
        ("<testcase name='a'><flakyFailure/><flakyError/></testcase>", "flaky"),
        ("<testcase name='a'><rerun/></testcase>", "flaky"),
        ("<testcase name='a'><rerun/><failure/></testcase>", "failed"),
        ("<testcase name='a'><failure/><rerunFailure/></testcase>", "failed"),
        ("<testcase name='a'><flakyFailure/><failure/></testcase>", "failed"),
        ("<testcase name='a'><failure type='flaky failure'/></testcase>", "flaky"),
        ("<testcase name='a'/><testcase name='a'><failure/></testcase>", "failed"),
        ("<testcase name='a'><failure/></testcase><testcase name='a'/>", "flaky"),
        ("<testcase name='a'><failure/></testcase><testcase name='a'><failure/></testcase>", "failed"),
        ("<testcase name='a'/><testcase name='a'/><testcase name='a'/>", "passed"),
    ],
)
def test_a_test_counts_once_and_as_the_worst_that_is_certain(tmp_path: Path, element: str, outcome: str) -> None:
    report = read(tmp_path, suite(element))
    assert outcomes(report) == {"a": outcome}
    assert report.counts.tests == 1
    assert report.complete


def test_of_other_tools_a_test_that_passed_and_failed_is_flaky_in_any_order(tmp_path: Path) -> None:
    two = "<testcase name='a'/><testcase name='a'><failure/></testcase>"
    assert outcomes(read(tmp_path, f"<testsuite name='jest'>{two}</testsuite>")) == {"a": "flaky"}


def test_a_header_that_happens_to_count_the_elements_makes_no_pass_of_a_retried_attempt(tmp_path: Path) -> None:
    retried = "<testcase name='never'/>" * 2 + "<testcase name='never'><failure message='no'/></testcase>"
    report = read(tmp_path, suite(f"{retried}<testcase name='subtests'/>", "tests='4' failures='1'"))
    assert outcomes(report) == {"never": "failed", "subtests": "passed"}
    assert kinds(report) == {"retries-left-empty"}


@pytest.mark.parametrize("header", ["tests='1'", "tests='3'", ""])
@pytest.mark.parametrize(("last", "outcome"), [("", "flaky"), ("<failure message='no'/>", "failed")])
def test_an_element_that_tells_of_a_rerun_only_is_no_pass_where_another_follows(
    tmp_path: Path, header: str, last: str, outcome: str
) -> None:
    rerun = "<testcase name='a'><rerun message='no'>x</rerun></testcase>"
    report = read(tmp_path, suite(f"{rerun}{rerun}<testcase name='a'>{last}</testcase>", header))
    assert outcomes(report) == {"a": outcome}
    assert len(report.results[0].attempts) == 3
    assert kinds(report) == set()


@pytest.mark.parametrize(
    "document",
    [
        "<testsuites errors='1'><testsuite name='a' tests='1'><testcase name='ok'/></testsuite></testsuites>",
        "<testsuites><testsuite name='a'><testcase name='ok'/></testsuite><testsuite failures='1'/></testsuites>",
    ],
)
def test_a_header_that_knows_of_a_failure_and_counts_no_tests_is_heard(tmp_path: Path, document: str) -> None:
    assert kinds(read(tmp_path, document)) == {"header-mismatch"}


def test_empty_elements_of_retried_attempts_are_failures_that_were_retried(tmp_path: Path) -> None:
    body = (
        "<testcase name='second'/>" * 2
        + "<testcase name='never'/>" * 2
        + "<testcase name='never'><failure/></testcase>"
    )
    report = read(tmp_path, suite(body, "tests='2'"))
    assert outcomes(report) == {"second": "flaky", "never": "failed"}
    assert "retries-left-empty" in kinds(report)


@pytest.mark.parametrize("claimed", [2, 3, 9])
def test_subtests_in_the_count_of_the_header_do_not_turn_retried_failures_into_passes(
    tmp_path: Path, claimed: int
) -> None:
    body = (
        "<testcase name='subtests'/>" + "<testcase name='never'/>" * 2 + "<testcase name='never'><failure/></testcase>"
    )
    assert outcomes(read(tmp_path, suite(body, f"tests='{claimed}'"))) == {"subtests": "passed", "never": "failed"}


def test_tests_that_never_finished_do_not_hide_that_others_were_retried(tmp_path: Path) -> None:
    message = "failed on setup with &quot;worker 'gw3' crashed while running 't.py::a'&quot;"
    body = f'<testcase name="a"/><testcase time="0"/><testcase name="a"><error message="{message}"/></testcase>'
    assert outcomes(read(tmp_path, suite(body, "tests='1'")))["a"] == "crashed"


def test_attempts_whose_teardown_failed_are_no_passes(tmp_path: Path) -> None:
    teardown = """<testcase name="a"><error message='failed on teardown with "E: boom"'/></testcase>"""
    report = read(tmp_path, suite(f"<testcase name='a'/><testcase name='a'/>{teardown}", "tests='3'"))
    assert outcomes(report) == {"a": "errored"}
    assert report.complete


def test_a_header_of_pytests_that_counts_less_than_there_is_says_why(tmp_path: Path) -> None:
    report = read(tmp_path, suite("<testcase name='a'/><testcase name='b'/>", "tests='1'"))
    assert report.counts.passed == 2
    assert any("retried and never finished" in problem.detail for problem in report.problems)


def test_repeated_passes_are_not_retries_when_the_header_is_wrong_for_another_reason(tmp_path: Path) -> None:
    body = "<testcase name='a'/>" * 2 + "<testcase name='b'/>" * 2
    report = read(tmp_path, suite(body, "tests='1'"))
    assert outcomes(report) == {"a": "passed", "b": "passed"}
    assert "header-mismatch" in kinds(report)


def test_a_failure_and_the_error_of_its_teardown_are_one_test(tmp_path: Path) -> None:
    teardown = """<testcase name="a"><error message='failed on teardown with "RuntimeError: boom"'/></testcase>"""
    report = read(tmp_path, suite(f"<testcase name='a'><failure message='assert 0'/></testcase>{teardown}"))
    assert outcomes(report) == {"a": "errored"}
    assert report.failing[0].failure is not None
    assert report.failing[0].failure.message == "assert 0"


def test_a_pass_whose_teardown_failed_is_not_flaky(tmp_path: Path) -> None:
    teardown = """<testcase name="a"><error message='failed on teardown with "RuntimeError: boom"'/></testcase>"""
    report = read(tmp_path, suite(f"<testcase name='a'/>{teardown}"))
    assert outcomes(report) == {"a": "errored"}


def test_a_test_without_a_name_never_finished(tmp_path: Path) -> None:
    report = read(tmp_path, suite("<testcase name='a'/><testcase time='0.000'/><testcase time='0.000'/>"))
    assert (report.counts.passed, report.counts.not_run) == (1, 2)
    assert "unfinished" in kinds(report)


def test_a_test_with_an_empty_name_did_finish(tmp_path: Path) -> None:
    report = read(tmp_path, suite("<testcase classname='' name=''/>", "tests='1'"))
    assert report.counts.passed == 1
    assert not report.problems


def test_the_failure_decides_and_not_the_reruns_beside_it(tmp_path: Path) -> None:
    body = "<testcase name='a'><failure message='first'/><rerunError message='second'/></testcase>"
    (result,) = read(tmp_path, suite(body)).failing
    assert [attempt.retry for attempt in result.attempts] == [False, True]
    assert result.outcome is Outcome.FAILED


def test_two_passes_under_a_header_of_another_runner_are_no_retry(tmp_path: Path) -> None:
    report = read(tmp_path, "<testsuite name='Dummy' tests='1'>" + "<testcase name='a'/>" * 2 + "</testsuite>")
    assert outcomes(report) == {"a": "passed"}


def test_a_class_that_failed_before_its_tests_is_named_by_its_class(tmp_path: Path) -> None:
    report = read(tmp_path, suite("<testcase name='' classname='c'><failure/></testcase>"))
    assert [str(result.id) for result in report.failing] == ["c"]


def test_the_same_id_in_two_suites_is_two_tests(tmp_path: Path) -> None:
    report = read(tmp_path, "<testsuites>" + "<testsuite><testcase name='a'/></testsuite>" * 2 + "</testsuites>")
    assert report.counts.tests == 2


def test_nested_suites_count_each_test_once(tmp_path: Path) -> None:
    inner = "<testsuite name='i' tests='1'><testcase name='b'/></testsuite>"
    report = read(tmp_path, suite(f"{inner}<testcase name='a'/>", "tests='2'"))
    assert report.counts.tests == 2
    assert not report.problems


def test_an_error_of_the_suite_itself_is_one_errored_test(tmp_path: Path) -> None:
    report = read(tmp_path, suite("<testcase name='a'/><error message='exit 2'/><error message='again'/>"))
    assert outcomes(report) == {"a": "passed", "pytest (suite)": "errored"}


def test_a_worker_that_died_is_a_crash_in_that_worker(tmp_path: Path) -> None:
    message = "failed on setup with &quot;worker 'gw3' crashed while running 't.py::a'&quot;"
    report = read(tmp_path, suite(f'<testcase name="a"><error message="{message}"/></testcase>'))
    (result,) = report.failing
    assert (result.outcome, result.worker, report.counts.errored) == (Outcome.CRASHED, "gw3", 1)


def test_a_module_that_did_not_import_is_said_to_hide_its_tests(tmp_path: Path) -> None:
    text = "ImportError while importing\nE   ModuleNotFoundError: No module named 'x'"
    report = read(tmp_path, suite(f"<testcase name='m'><error message='collection failure'>{text}</error></testcase>"))
    (result,) = report.failing
    assert result.failure is not None
    assert (result.failure.type, result.failure.when) == ("ModuleNotFoundError", "collect")
    assert result.failure.message == "No module named 'x'"
    assert "not-collected" in kinds(report)


def test_the_place_and_type_of_a_failure_come_from_the_end_of_its_traceback(tmp_path: Path) -> None:
    frames = (
        "sub/test_x.py:7: \n_ _ _\n/usr/lib/python3/json.py:3: in g\nE   ValueError: bad\n\nsub/util.py:21: ValueError"
    )
    text = f"def test_x():\n&gt;   f()\n\n{frames}"
    body = f"<testcase classname='sub.test_x' name='x'><failure message='ValueError: bad'>{text}</failure></testcase>"
    (result,) = read(tmp_path, suite(body)).failing
    failure = result.failure
    assert failure is not None
    assert (failure.type, failure.message, failure.file, failure.line) == ("ValueError", "bad", "sub/util.py", 21)


@pytest.mark.parametrize("phase", ["setup", "teardown"])
def test_an_error_around_the_test_is_told_by_its_own_words_and_phase(tmp_path: Path, phase: str) -> None:
    message = f"failed on {phase} with &quot;KeyError: 'x'&quot;"
    (result,) = read(tmp_path, suite(f'<testcase name="a"><error message="{message}"/></testcase>')).failing
    assert result.failure is not None
    assert (result.failure.type, result.failure.message, result.failure.when) == ("KeyError", "'x'", phase)


@pytest.mark.parametrize(
    ("written", "message"),
    [("ValueError: bad: worse", "bad: worse"), ("own.ValueError: bad", "bad"), ("ValueError", ""), ("bad", "bad")],
)
def test_the_type_is_told_beside_the_message_and_not_in_it(tmp_path: Path, written: str, message: str) -> None:
    body = f"<testcase name='x'><failure message='{written}'>E   told\n\nt.py:3: ValueError</failure></testcase>"
    (result,) = read(tmp_path, suite(body)).failing
    assert result.failure is not None
    assert (result.failure.type, result.failure.message) == ("ValueError", message)


def test_properties_and_output_of_a_failing_test_are_kept(tmp_path: Path) -> None:
    body = (
        "<testcase name='a'><properties><property name='seed' value='7'/></properties>"
        "<failure message='m'/><system-out>printed</system-out></testcase>"
    )
    (result,) = read(tmp_path, suite(body)).failing
    assert result.attempts[-1].properties == (("seed", "7"),)
    assert result.failure is not None
    assert result.failure.output == "printed"


def test_the_order_of_the_report_is_kept_over_all_tests(tmp_path: Path) -> None:
    names = [("c", "1"), ("d", "1"), ("c", "2"), ("d", "2")]
    body = "".join(f"<testcase classname='{c}' name='{n}'/>" for c, n in names)
    report = read(tmp_path, suite(body + "<testcase classname='c' name='bad'><failure/></testcase>"))
    assert [str(test) for test in report.order()] == ["c::1", "d::1", "c::2", "d::2", "c::bad"]
    assert report.failing[0].position == 4


@pytest.mark.parametrize(
    ("document", "kind"),
    [
        ("<testsuites/>", "no-tests"),
        ("<testsuites><testsuite tests='6' failures='1'/></testsuites>", "header-mismatch"),
        ("<testsuites><testsuite failures='1'><testcase name='a'/></testsuite></testsuites>", "header-mismatch"),
        ("<testsuite failures='1' errors='1'><testcase name='a'><failure/></testcase></testsuite>", "header-mismatch"),
        ("<testsuites><testsuite><testcase name='a'><skipped/></testcase></testsuite></testsuites>", "all-skipped"),
        ("<report><case/></report>", "not-junit"),
        ("<testsuite><testcase name='a'><rerunFailure/></testcase></testsuite>", "rerun-without-failure"),
    ],
)
def test_what_is_odd_about_a_report_is_said(tmp_path: Path, document: str, kind: str) -> None:
    assert kind in kinds(read(tmp_path, document))


def test_a_namespace_prefix_changes_nothing(tmp_path: Path) -> None:
    cases = "<j:testcase name='a'><j:failure/></j:testcase><j:testcase name='b'/>"
    assert outcomes(read(tmp_path, f"<j:testsuite xmlns:j='urn:j'>{cases}</j:testsuite>")) == {
        "a": "failed",
        "b": "passed",
    }


def test_an_absent_report_is_a_crashed_runner_and_never_zero_failures(tmp_path: Path) -> None:
    (report,) = read_reports([str(tmp_path / "never-written.xml")])
    assert kinds(report) == {"runner-crashed"}
    assert not report.complete


def test_a_folder_and_a_glob_name_all_their_reports(tmp_path: Path) -> None:
    for name in ("a.xml", "b.xml"):
        (tmp_path / name).write_text("<testsuite><testcase name='t'/></testsuite>")
    assert len(read_reports([str(tmp_path)])) == 2
    assert len(read_reports([str(tmp_path / "*.xml")])) == 2
    assert len(read_reports([str(tmp_path), str(tmp_path / "a.xml")])) == 2
