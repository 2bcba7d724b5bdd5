"""Which failures of a report are worth trials, and what is told of the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from triage_bot.adapters.junit.reading import read_reports
from triage_bot.core.findings import Reason, VerdictName
from triage_bot.core.resolve import Resolver
from triage_bot.core.suspects import MASS_SAMPLE, Sorted, sort_out

IDS = [f"test_it.py::test_{name}" for name in ("a", "b", "c", "d", "e", "f", "g", "h")]
STICKY = "RuntimeError: CUDA error: an illegal memory access was encountered"


def sort(
    folder: Path, failures: dict[str, str], most: int = 50, ids: list[str] = IDS, end: str = "</testsuite>"
) -> Sorted:
    """What comes of a report in which all of a to h ran, and these failed."""
    cases = ""
    for name in "abcdefgh":
        inside = f"<failure message='{failures[name]}'>x</failure>" if name in failures else ""
        cases += f"<testcase classname='test_it' name='test_{name}'>{inside}</testcase>"
    (folder / "r.xml").write_text(f"<testsuite>{cases}{end}")
    return sort_out(read_reports([str(folder / "r.xml")]), Resolver(ids), most)


def test_a_failure_is_tried_with_what_ran_before_it(tmp_path: Path) -> None:
    (suspect,) = sort(tmp_path, {"c": "off by 1"}).suspects
    assert (suspect.test, suspect.before) == ("test_it.py::test_c", tuple(IDS[:2]))
    assert suspect.failure is not None
    assert suspect.failure.message == "off by 1"


def test_followers_of_a_sticky_fault_name_their_origin_and_the_origin_is_tried(tmp_path: Path) -> None:
    found = sort(tmp_path, {"c": STICKY, "d": STICKY, "e": STICKY})
    assert [suspect.test for suspect in found.suspects] == ["test_it.py::test_c"]
    assert [(finding.test, finding.polluter) for finding in found.findings] == [
        ("test_it.py::test_d", "test_it.py::test_c"),
        ("test_it.py::test_e", "test_it.py::test_c"),
    ]
    assert {finding.verdict for finding in found.findings} == {VerdictName.CROSS_TEST_CONTAMINATION}


def test_more_failures_than_the_limit_are_one_event_of_which_a_sample_is_tried(tmp_path: Path) -> None:
    found = sort(tmp_path, {name: f"{name} is wrong" for name in "abcde"}, most=4)
    assert len(found.suspects) == MASS_SAMPLE
    assert [finding.reason for finding in found.findings] == [Reason.MASS_FAILURE] * 2


def test_the_sample_of_a_mass_failure_holds_the_one_that_says_something_else(tmp_path: Path) -> None:
    failures = dict.fromkeys("abcdefg", "connection refused") | {"h": "assert 3 == 4"}
    tried = [suspect.test for suspect in sort(tmp_path, failures).suspects]
    assert len(tried) == MASS_SAMPLE
    assert tried[-1] == "test_it.py::test_h"


def test_what_failed_in_another_process_did_not_run_before_it(tmp_path: Path) -> None:
    cases = "".join(
        f"<testcase classname='test_it' name='test_{name}'><failure message='m'>[{worker}] linux -- x</failure>"
        "</testcase>"
        for name, worker in (("a", "gw0"), ("b", "gw1"), ("c", "gw0"))
    )
    (tmp_path / "r.xml").write_text(f"<testsuite>{cases}</testsuite>")
    found = sort_out(read_reports([str(tmp_path / "r.xml")]), Resolver(IDS), 50)
    assert [suspect.before for suspect in found.suspects] == [(), (), (IDS[0],)]


def test_as_many_failures_as_the_limit_are_all_tried(tmp_path: Path) -> None:
    assert len(sort(tmp_path, {name: f"{name} is wrong" for name in "abcd"}, most=4).suspects) == 4


@pytest.mark.parametrize("ids", [[], ["test_it.py::test_b"]], ids=["nothing collected", "others collected"])
def test_a_test_that_was_not_collected_could_not_be_rerun(tmp_path: Path, ids: list[str]) -> None:
    found = sort(tmp_path, {"c": "off by 1"}, ids=ids)
    assert found.suspects == ()
    assert [finding.reason for finding in found.findings] == [Reason.COULD_NOT_RERUN]


def test_a_report_that_ends_early_and_tells_no_failure_is_a_finding(tmp_path: Path) -> None:
    (finding,) = sort(tmp_path, {}, end="").findings
    assert (finding.reason, finding.test) == (Reason.REPORT_INCOMPLETE, str(tmp_path / "r.xml"))


def test_a_report_that_is_not_there_is_a_crash_of_the_runner(tmp_path: Path) -> None:
    found = sort_out(read_reports([str(tmp_path / "gone.xml")]), Resolver(IDS), 50)
    assert [finding.reason for finding in found.findings] == [Reason.RUNNER_CRASHED]


def test_a_test_that_never_finished_in_a_report_without_failures_is_a_crash_of_the_runner(tmp_path: Path) -> None:
    (tmp_path / "r.xml").write_text("<testsuite><testcase classname='test_it' name='test_a'/><testcase/></testsuite>")
    (finding,) = sort_out(read_reports([str(tmp_path / "r.xml")]), Resolver(IDS), 50).findings
    assert (finding.reason, finding.test) == (Reason.RUNNER_CRASHED, str(tmp_path / "r.xml"))
    assert "1 test started and never finished" in finding.why
