"""Zip artifacts: their reports are read where they are, and what is made to hurt is refused."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from triage_bot.adapters.archive import Archive
from triage_bot.adapters.junit.reading import read_reports
from triage_bot.errors import UnreadableInputError

REPORT = "<testsuite><testcase name='a'/></testsuite>"


def archive(folder: Path, members: dict[str, str], method: int = zipfile.ZIP_DEFLATED) -> Path:
    file = folder / "artifact.zip"
    with zipfile.ZipFile(file, "w", method) as packed:
        for name, content in members.items():
            packed.writestr(name, content)
    return file


def test_every_report_in_an_artifact_is_read(tmp_path: Path) -> None:
    file = archive(tmp_path, {"b/two.xml": REPORT, "one.xml": REPORT, "log.txt": "no report"})
    reports = read_reports([str(file)])
    assert [report.path for report in reports] == [f"{file}!b/two.xml", f"{file}!one.xml"]
    assert all(report.counts.passed == 1 for report in reports)


@pytest.mark.parametrize("name", ["../evil.xml", "/etc/evil.xml", "a/../../evil.xml", "..\\evil.xml", "C:\\evil.xml"])
def test_a_member_that_points_out_of_the_archive_is_refused(tmp_path: Path, name: str) -> None:
    (report,) = read_reports([str(archive(tmp_path, {name: REPORT}))])
    assert report.unread is not None
    assert "points out" in report.unread.detail


def test_a_member_that_grows_beyond_reason_is_refused(tmp_path: Path) -> None:
    (report,) = read_reports([str(archive(tmp_path, {"bomb.xml": "<testsuite>" + " " * 100_000_000}))])
    assert report.unread is not None
    assert "grows" in report.unread.detail


def test_too_many_members_are_refused_before_their_names_are_read(tmp_path: Path) -> None:
    file = archive(tmp_path, {f"{at}.xml": "" for at in range(10_001)}, zipfile.ZIP_STORED)
    with pytest.raises(UnreadableInputError, match="members"):
        Archive(file)


def test_a_broken_archive_is_one_clear_error(tmp_path: Path) -> None:
    file = archive(tmp_path, {"one.xml": REPORT})
    content = file.read_bytes()
    for broken in (content[:60], content.replace(b"testcase", b"tastcase"), content[:40] + b"\xff" * 9 + content[49:]):
        file.write_bytes(broken)
        (report,) = read_reports([str(file)])
        assert report.unread is not None or report.complete
        assert file.name in report.path


def test_an_artifact_without_a_report_says_so(tmp_path: Path) -> None:
    (report,) = read_reports([str(archive(tmp_path, {"log.txt": "x"}))])
    assert report.unread is not None
    assert "no .xml" in report.unread.detail


def test_thousands_of_reports_in_one_artifact_are_all_read(tmp_path: Path) -> None:
    members = {f"{at}.xml": REPORT for at in range(3_000)}
    reports = read_reports([str(archive(tmp_path, members, zipfile.ZIP_STORED))])
    assert sum(report.counts.passed for report in reports) == 3_000


def test_what_macos_adds_to_an_archive_is_no_report(tmp_path: Path) -> None:
    (report,) = read_reports([str(archive(tmp_path, {"__MACOSX/._one.xml": "\5\7", "one.xml": REPORT}))])
    assert report.complete
