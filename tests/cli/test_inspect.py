"""The command ``inspect``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path


def inspect(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "triage_bot", "inspect", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_json_is_all_that_stdout_holds(tmp_path: Path) -> None:
    report = tmp_path / "r.xml"
    report.write_text("<testsuite><testcase classname='c' name='a'><failure/></testcase></testsuite>")
    done = inspect("--json", str(report))
    document = json.loads(done.stdout)
    assert done.returncode == 0
    assert document["schema"] == "triage-bot/inspect-v1"
    assert document["files"][0]["failing"] == ["c::a"]
    assert document["total"] == {
        "tests": 1, "passed": 0, "failed": 1, "errored": 0, "skipped": 0, "flaky": 0, "not_run": 0
    }  # fmt: skip


def test_an_unreadable_report_ends_in_one_message_and_exit_3_and_hides_no_other(tmp_path: Path) -> None:
    (tmp_path / "bad.xml").write_text("this is not a report")
    (tmp_path / "good.xml").write_text("<testsuite><testcase name='a'/></testsuite>")
    done = inspect("--json", str(tmp_path / "bad.xml"), str(tmp_path / "good.xml"))
    assert done.returncode == 3
    assert "bad.xml" in done.stderr
    assert "Traceback" not in done.stderr
    assert json.loads(done.stdout)["total"]["passed"] == 1


def test_an_absent_report_is_named_and_never_zero_failures(tmp_path: Path) -> None:
    done = inspect(str(tmp_path / "gone.xml"))
    assert done.returncode == 3
    assert "gone.xml" in done.stderr


def test_a_file_name_that_is_no_text_is_shown_all_the_same(tmp_path: Path) -> None:
    file = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.xml")
    Path(file).write_text("<testsuite><testcase name='a'/></testsuite>")
    assert inspect(file).returncode == 0
    assert json.loads(inspect("--json", file).stdout)["total"]["passed"] == 1
