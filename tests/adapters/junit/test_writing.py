"""The merged report: what failed fails in it, verdicts are properties, and reporters read it."""

from __future__ import annotations

from pathlib import Path

import junitparser
from junitparser import xunit2

from triage_bot.adapters.junit.reading import read_reports
from triage_bot.adapters.junit.writing import write_report
from triage_bot.core.arms import AS_IS, STRETCHED
from triage_bot.core.findings import ArmTally, Counts, Environment, Finding, Grade, Source, Triage, VerdictName
from triage_bot.core.results import Failure

REPORT = (
    "<testsuite name='gpu' tests='6'>"
    "<testcase classname='tests.test_x' name='test_ok'/>"
    "<testcase classname='tests.test_x' name='test_bad'><failure message='1 &lt; 2' type='AssertionError'>text"
    "</failure></testcase>"
    "<testcase classname='tests.test_x' name='test_flaky'><flakyFailure message='once'/></testcase>"
    "<testcase classname='tests.test_x' name='test_err'><error message='first'/><rerunError message='again'/>"
    "</testcase>"
    "<testcase classname='tests.test_x' name='test_skip'><skipped/></testcase>"
    "<testcase time='0.0'/>"
    "</testsuite>"
)


def finding(test: str, failure: Failure | None = None, latent: bool = False) -> Finding:
    arms = (ArmTally(AS_IS, 10, 2, 0, 1.0), ArmTally(STRETCHED, 5, 5, 0, 1.0))
    return Finding(test, VerdictName.ORDERING_BUG, Grade.CONFIRMED, "it races", failure, "", "", arms, latent=latent)


def written(folder: Path, *findings: Finding) -> Path:
    source, merged = folder / "in.xml", folder / "merged.xml"
    source.write_text(REPORT)
    triage = Triage(Source(), Environment(), Counts(), True, (), findings)
    write_report(merged, read_reports([str(source)]), triage)
    return merged


def cases(path: Path) -> dict[str, xunit2.TestCase]:
    return {case.name: case for suite in xunit2.JUnitXml.fromfile(str(path)) for case in suite}


def test_what_failed_still_fails_and_says_its_verdict(tmp_path: Path) -> None:
    case = cases(written(tmp_path, finding("tests/test_x.py::test_bad")))["test_bad"]
    told = {prop.name: prop.value for prop in case.properties()}
    assert [type(result) for result in case.result] == [junitparser.Failure]
    assert (told["verdict"], told["grade"]) == ("ordering-bug", "confirmed")
    assert told["arms"] == "as-is 2/10; stretched 5/5"
    assert len(case.rerun_failures()) == 2


def test_retried_attempts_are_written_where_reporters_look_for_them(tmp_path: Path) -> None:
    found = cases(written(tmp_path))
    assert found["test_flaky"].is_passed
    assert [retry.message for retry in found["test_flaky"].flaky_failures()] == ["once"]
    assert [retry.message for retry in found["test_err"].rerun_errors()] == ["again"]
    assert found["test_skip"].is_skipped


def test_a_failed_teardown_stays_beside_the_failure_of_its_test(tmp_path: Path) -> None:
    source, merged = tmp_path / "in.xml", tmp_path / "merged.xml"
    teardown = (
        """<testcase name="a"><error message='failed on teardown with "RuntimeError: boom"'>t</error></testcase>"""
    )
    source.write_text(f"<testsuite><testcase name='a'><failure message='m'/></testcase>{teardown}</testsuite>")
    write_report(merged, read_reports([str(source)]), Triage(Source(), Environment(), Counts(), True, (), ()))
    (case,) = cases(merged).values()
    assert [type(result) for result in case.result] == [junitparser.Failure, junitparser.Error]
    assert not case.is_rerun


def test_tests_without_a_name_stay_as_many_as_they_are(tmp_path: Path) -> None:
    source, merged = tmp_path / "in.xml", tmp_path / "merged.xml"
    source.write_text("<testsuite><testcase time='0'/><testcase time='0'/></testsuite>")
    write_report(merged, read_reports([str(source)]), Triage(Source(), Environment(), Counts(), True, (), ()))
    assert len(cases(merged)) == read_reports([str(merged)])[0].counts.tests == 2


def test_our_own_reading_of_it_agrees_with_that_of_the_source(tmp_path: Path) -> None:
    merged = written(tmp_path)
    before, after = (read_reports([str(tmp_path / name)])[0].counts for name in ("in.xml", "merged.xml"))
    assert (after.tests, after.passed, after.failed, after.skipped, after.flaky) == (6, 1, 1, 1, 1)
    assert after.errored == before.errored + before.not_run
    assert not read_reports([str(merged)])[0].problems


def test_tests_that_no_report_names_get_a_suite_of_their_own(tmp_path: Path) -> None:
    alone = finding("tests/test_y.py::TestA::test_z[1]", Failure("ValueError", "bad \x1b[31m"))
    latent = finding("tests/test_y.py::test_latent", Failure("ValueError", "bad"), latent=True)
    found = cases(written(tmp_path, alone, latent))
    assert found["test_z[1]"].classname == "tests.test_y.TestA"
    assert found["test_z[1]"].result[0].message == "bad #x1B[31m"
    assert found["test_latent"].is_passed
