"""Broken reports: what is certain is kept, what is put right is said, nothing is invented."""

from __future__ import annotations

from pathlib import Path

import pytest

from triage_bot.adapters.junit.reading import read_reports
from triage_bot.core.reports import Report

DOCUMENT = (
    '<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="s" tests="3">'
    '<testcase name="a"/><testcase name="b"><failure message="m">text</failure></testcase><testcase name="é"/>'
    "</testsuite></testsuites>"
)


def read(folder: Path, content: bytes) -> Report:
    file = folder / "report.xml"
    file.write_bytes(content)
    (report,) = read_reports([str(file)])
    return report


def names(report: Report) -> list[str]:
    return [test.name for test in report.order()]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"starting tests\n" + DOCUMENT.encode() + b"\nall < done & gone\n", "text outside the root"),
        (b"[INFO] <testsuite in a log\n" + DOCUMENT.encode(), "text outside the root"),
        (DOCUMENT.encode() + b"\0\0\0", "text outside the root"),
        (DOCUMENT.replace("text", "te\0xt\x1b[31m").encode(), "characters that XML forbids"),
        (DOCUMENT.replace("text", "te&#0;xt").encode(), "references to characters"),
        (DOCUMENT.replace("text", "R&D &nbsp;").encode(), "ampersands"),
        (DOCUMENT.replace("text", "1 < 2 <= 3 << 4 <5").encode(), "less-than signs"),
        (DOCUMENT.replace('"m"', '"1 < 2"').encode(), "less-than signs"),
        (DOCUMENT.replace("text", "<object object at 0x7f> <Stream device=0>").encode(), "less-than signs"),
        (DOCUMENT.replace("text", 'File "<stdin>", line 1, in <module>').encode(), "less-than signs"),
        (DOCUMENT.replace("text", "caf\udce9").encode(errors="surrogateescape"), "do not fit the encoding"),
        (b"\n\n" + DOCUMENT.encode(), "declaration not at start"),
    ],
)
def test_what_can_be_put_right_is_read_and_said(tmp_path: Path, content: bytes, said: str) -> None:
    report = read(tmp_path, content)
    assert names(report) == ["a", "b", "é"]
    assert [result.id.name for result in report.failing] == ["b"]
    assert any(said in problem.detail for problem in report.problems)
    assert not report.complete


@pytest.mark.parametrize("broken", ["<failure message=boom/>", "<failure boom />", "<error at=1/>"])
def test_a_broken_element_of_a_report_is_never_text_of_a_test_that_passed(tmp_path: Path, broken: str) -> None:
    report = read(
        tmp_path, DOCUMENT.replace('<testcase name="é"/>', f'<testcase name="x">{broken}</testcase>').encode()
    )
    assert report.counts.passed == 1
    assert not report.complete


@pytest.mark.parametrize(
    ("declared", "written"),
    [
        ("utf-8", "utf-8-sig"),
        ("utf-16", "utf-16"),
        ("iso-8859-1", "latin-1"),
        ("windows-1252", "cp1252"),
        ("gb18030", "gb18030"),
    ],
)
def test_an_encoding_that_is_declared_rightly_needs_no_repair(tmp_path: Path, declared: str, written: str) -> None:
    report = read(tmp_path, DOCUMENT.replace("utf-8", declared).encode(written))
    assert names(report) == ["a", "b", "é"]
    assert report.complete


@pytest.mark.parametrize(
    ("declared", "written"), [("utf-16", "utf-8"), ("utf-8", "utf-16-le"), ("no-such", "utf-8"), ("idna", "utf-8")]
)
def test_an_encoding_that_is_declared_wrongly_is_found_out(tmp_path: Path, declared: str, written: str) -> None:
    report = read(tmp_path, DOCUMENT.replace("utf-8", declared).encode(written))
    assert names(report) == ["a", "b", "é"]


def test_two_documents_in_one_file_are_both_read(tmp_path: Path) -> None:
    report = read(tmp_path, (DOCUMENT + "\nsecond run\n" + DOCUMENT.replace('"b"', '"c"')).encode())
    assert names(report) == ["a", "b", "é", "a", "c", "é"]
    assert any("further document" in problem.detail for problem in report.problems)


def test_cut_anywhere_a_report_never_gains_a_pass_nor_loses_a_failure_it_told(tmp_path: Path) -> None:
    content = DOCUMENT.encode()
    for length in range(len(content) - 1):
        report = read(tmp_path, content[:length])
        told = content[:length].decode(errors="ignore")
        assert not report.complete
        assert report.counts.passed == told.count('"a"/>') + told.count('"é"/>')
        assert [result.id.name for result in report.failing] == ["b"] * ('<failure message="m">' in told)


def test_a_test_case_that_is_cut_is_not_a_pass(tmp_path: Path) -> None:
    report = read(tmp_path, DOCUMENT[: DOCUMENT.index("<failure")].encode())
    assert (report.counts.passed, report.counts.not_run) == (1, 1)
    assert {"truncated", "tests-missing"} <= {problem.kind for problem in report.problems}


RETRIED = (
    '<testsuite name="pytest" tests="4"><testcase name="a"/><testcase name="second"/><testcase name="second"/>'
    '<testcase name="never"/><testcase name="never"/><testcase name="never"><failure message="m"/></testcase>'
    '<testcase name="b"/></testsuite>'
)


def test_cut_anywhere_an_attempt_that_was_retried_is_no_pass(tmp_path: Path) -> None:
    for length in range(len(RETRIED)):
        report = read(tmp_path, RETRIED[:length].encode())
        passed = {test.name for test in report.order()} - {result.id.name for result in report.results}
        assert passed <= {"a", "b"}
        assert ("never" in names(report)) <= (report.counts.failed + report.counts.not_run > 0)


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"not a report", b"\x89PNG\r\n\x1a\n\0\0", b"<testsuites name='", b"{}"]
)
def test_a_file_without_any_test_to_read_is_refused(tmp_path: Path, content: bytes) -> None:
    report = read(tmp_path, content)
    assert report.unread is not None


def test_what_follows_a_broken_tag_is_left_out_and_said(tmp_path: Path) -> None:
    report = read(tmp_path, DOCUMENT.replace('name="é"', 'name=é"').encode())
    assert names(report) == ["a", "b"]
    assert "malformed" in {problem.kind for problem in report.problems}


def test_a_report_that_a_comment_shows_is_none(tmp_path: Path) -> None:
    shown = "<!-- <testsuite><testcase name='shown'/></testsuite> -->"
    file = tmp_path / "r.xml"
    file.write_text(f"{shown}<testsuite><testcase name='a'><failure message='\x1b'/></testcase></testsuite>")
    (report,) = read_reports([str(file)])
    assert [str(result.id) for result in report.failing] == ["a"]
    assert report.counts.tests == 1
