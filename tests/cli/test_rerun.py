"""``rerun``, as the people meet it who ask it something: what it answers, what it refuses, how it ends."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.driving import LEAKY, LEAKY_CONFTEST, UNFORKABLE, Done, case, findings, report, suite

Bot = Callable[..., Done]

LATE = """
import pytest

@pytest.mark.stream
def test_store(device):
    device.wait(1)
    assert not any("stall 1" in entry for entry in device.log), "late"
"""
"""Passes, unless an amplifier delays its stream."""


def test_a_broken_test_gets_its_verdict_on_screen_and_in_every_file(rerun: Bot, tmp_path: Path) -> None:
    done = rerun("--test", "test_broken", "--out", "deep/t.json", "--junit-out", "merged.xml", "--html", "page.html")
    assert done.code == 0
    assert done.out.startswith("broken (suspected)  test_it.py::test_broken\n")
    assert "failed: as-is 8/8" in done.out
    assert "written: deep/t.json" in done.out
    (finding,) = json.loads((tmp_path / "deep" / "t.json").read_text())["findings"]
    assert (finding["verdict"], finding["failure"]["message"].splitlines()[0]) == ("broken", "sum is off by 1")
    assert "broken" in {node.get("value") for node in ElementTree.parse(tmp_path / "merged.xml").iter("property")}
    assert "sum is off by 1" in (tmp_path / "page.html").read_text()
    assert not list(tmp_path.rglob("*.partial"))


def test_progress_says_what_runs_and_why_on_stderr_only(rerun: Bot) -> None:
    done = rerun("--test", "test_broken")
    assert "collecting the suite" in done.err
    lines = [line for line in done.err.splitlines() if "as-is" in line]
    assert lines[0].split()[:2] == ["1", "failed"]
    assert lines[0].endswith("does it fail by itself?")
    assert "does it fail" not in done.out


def test_a_healthy_test_is_nothing_to_triage_and_says_which_rate_is_ruled_out(rerun: Bot, tmp_path: Path) -> None:
    done = rerun("--test", "test_it.py::test_passes")
    assert done.code == 0
    assert "nothing to triage  test_it.py::test_passes\n" in done.out
    assert "5 passes as-is rule out a failure rate of 45% or more" in done.out
    assert findings(tmp_path) == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], ["there is nothing to rerun", "--test", "--junit"]),
        (["--test", "passes"], ["2 tests have 'passes'", "test_it.py::test_passes\n", "test_it.py::test_passes_too"]),
        (["--test", "test_brokn"], ["none of the suite's 4 tests has 'test_brokn'", "test_it.py::test_broken"]),
        (["--test", "test_broken", "--fail-on", "brokn"], ["'brokn' is no verdict", "ordering-bug"]),
        (["--test", "test_broken", "--suite", "elsewhere"], ["there is no elsewhere"]),
        (["--test", "test_broken", "--out", "suite/test_it.py/t.json"], ["suite/test_it.py/t.json cannot be written"]),
        (["--test", "test_broken", "--html", "suite/test_it.py/p"], ["suite/test_it.py/p cannot be written"]),
        (["--test", "test_broken", "--out", "suite"], ["'suite' is a directory"]),
        (["--test", "test_broken", "-n", "0"], ["-n"]),
        (["--test", "test_broken", "--suite", ""], ["--suite is empty"]),
        (["--test", "test_broken", "--budget", "soon"], ["'soon' is no duration: write 90s, 10m or 1h"]),
        (["--test", "test_broken", "--budget", "0"], ["'0' is no duration"]),
        (["--test", "test_broken", "--timeout", "9" * 30 + "h"], ["h' is too long: 1000h is the most"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_what_cannot_be_done_is_said_before_any_trial(rerun: Bot, arguments: list[str], said: list[str]) -> None:
    done = rerun(*arguments)
    assert done.code == 2
    for words in said:
        assert words in done.err
    assert "as-is" not in done.err
    assert done.out == ""


def test_a_folder_that_cannot_hold_the_journal_is_one_message(rerun: Bot, tmp_path: Path) -> None:
    (tmp_path / ".triage").write_text("in the way")
    done = rerun("--test", "test_broken")
    assert done.code == 2
    assert ".triage/journal.jsonl cannot be written" in done.err


def test_fewer_than_five_trials_confirm_nothing_and_that_is_said(rerun: Bot) -> None:
    done = rerun("--test", "test_broken", "-n", "4")
    assert "-n 4: fewer than 5 compared trials an arm can confirm nothing" in done.err
    assert "(confirmed" not in done.out


def test_a_suite_of_which_nothing_can_be_collected_ends_in_4_with_the_cause(rerun: Bot, tmp_path: Path) -> None:
    (tmp_path / "suite" / "test_it.py").write_text("import no_such_module\n")
    done = rerun("--test", "test_broken")
    assert done.code == 4
    assert "test_it.py: ModuleNotFoundError: No module named 'no_such_module'" in done.err


def test_a_suite_without_tests_is_said_to_be_one(rerun: Bot, tmp_path: Path) -> None:
    (tmp_path / "suite" / "test_it.py").write_text("")
    done = rerun("--test", "test_broken")
    assert done.code == 2
    assert "the suite has no tests" in done.err


def test_a_device_that_the_bundled_suite_cannot_have_ends_in_4_before_any_trial(bot: Bot) -> None:
    done = bot("rerun", "--test", "test_store_orders_after_compute_write", "--runtime", "cuda")
    assert done.code == 4
    assert re.search("--runtime cuda (needs torch and cuda-bindings|finds no CUDA device)", done.err)
    assert "as-is" not in done.err


def test_an_option_that_pytest_refuses_ends_in_4_with_its_words(rerun: Bot) -> None:
    done = rerun("--test", "test_broken", "--", "--no-such-option")
    assert done.code == 4
    assert "--no-such-option" in done.err


def test_a_verdict_that_is_named_fails_the_command_and_no_other_does(rerun: Bot) -> None:
    assert rerun("--test", "test_broken", "--fail-on", "ordering-bug,broken").code == 10
    assert rerun("--test", "test_broken", "--fail-on", "flaky").code == 0


def test_a_report_without_failures_needs_no_trial_and_not_even_the_suite(bot: Bot, tmp_path: Path) -> None:
    done = bot("rerun", "--suite", str(tmp_path), "--junit", report(tmp_path, case("test_passes"), case("test_b")))
    assert (done.code, done.err) == (0, "")
    assert "nothing to triage: none of 2 tests failed" in done.out
    assert findings(tmp_path) == []
    assert json.loads((tmp_path / "triage.json").read_text())["summary"]["passed"] == 2


def test_a_refused_report_ends_in_3_and_hides_behind_no_other(rerun: Bot, tmp_path: Path) -> None:
    (tmp_path / "bad.xml").write_text("this is no report")
    done = rerun("--junit", "bad.xml", "--junit", report(tmp_path, case("test_broken", "sum")))
    assert done.code == 3
    assert "bad.xml" in done.err


def test_a_report_that_is_not_there_is_a_finding(rerun: Bot, tmp_path: Path) -> None:
    done = rerun("--junit", "gone.xml", "--fail-on", "inconclusive")
    assert done.code == 10
    (finding,) = findings(tmp_path)
    assert (finding["test"], finding["verdict"]) == ("gone.xml", "inconclusive")
    assert finding["why"].startswith("runner-crashed")


def test_a_folder_without_reports_is_said_to_hold_none(rerun: Bot, tmp_path: Path) -> None:
    (tmp_path / "reports").mkdir()
    rerun("--junit", "reports")
    (finding,) = findings(tmp_path)
    assert "no .xml file is in it" in finding["why"]


def test_a_failure_of_no_known_test_could_not_be_rerun(rerun: Bot, tmp_path: Path) -> None:
    rerun("--junit", report(tmp_path, case("test_moved_away", "no")))
    (finding,) = findings(tmp_path)
    assert finding["why"].startswith("could-not-rerun")
    assert finding["arms"] == []


def test_what_follows_a_sticky_fault_is_explained_without_trials(rerun: Bot, tmp_path: Path) -> None:
    sticky = "RuntimeError: CUDA error: an illegal memory access was encountered"
    cases = [case("test_broken", sticky), case("test_passes", sticky), case("test_passes_too", sticky)]
    rerun("--junit", report(tmp_path, *cases))
    by_test = {finding["test"]: finding for finding in findings(tmp_path)}
    follower = by_test["test_it.py::test_passes"]
    assert (follower["verdict"], follower["arms"]) == ("cross-test-contamination", [])
    assert follower["polluter"] == "test_it.py::test_broken"
    assert by_test["test_it.py::test_broken"]["arms"] != []


def test_of_a_mass_failure_a_sample_is_tried(rerun: Bot, tmp_path: Path) -> None:
    (tmp_path / "suite" / "test_it.py").write_text("".join(f"def test_{n}():\n    assert {n} < 0\n" for n in range(5)))
    rerun("--junit", report(tmp_path, *(case(f"test_{n}", f"no {n}") for n in range(5))), "--max-failures", "4")
    reasons = [finding["why"].partition(":")[0] for finding in findings(tmp_path)]
    assert reasons.count("mass-failure") == 2


def test_a_latent_finding_never_fails_the_command(bot: Bot, tmp_path: Path) -> None:
    suite(tmp_path, conftest=LEAKY_CONFTEST, test_it=LATE)
    done = bot(
        "rerun", "--suite", "suite", "--test", "test_store", "-n", "5", "--fail-on", "time-sensitive,ordering-bug"
    )
    (finding,) = findings(tmp_path)
    assert finding["latent"], finding
    assert done.code == 0
    assert "latent: it does not fail by itself" in done.out


def test_a_leak_is_confirmed_with_where_it_is_and_the_fix_that_held(bot: Bot, tmp_path: Path) -> None:
    suite(tmp_path, conftest=LEAKY_CONFTEST, test_it=LEAKY)
    done = bot("rerun", "--suite", "suite", "--test", "test_leaks", "--html", "page.html")
    (finding,) = findings(tmp_path)
    assert (finding["verdict"], finding["grade"]) == ("cross-phase-contamination", "confirmed")
    assert "where  test_it.py:11  helper(device)" in done.out
    assert "<rect" in (tmp_path / "page.html").read_text()


def test_a_test_that_hangs_is_ended_and_recorded(bot: Bot, tmp_path: Path) -> None:
    # The first test shows that children answer: else a fresh interpreter would be asked whose fault the hang is.
    suite(tmp_path, test_it="import time\ndef test_a():\n    assert 0\ndef test_hangs():\n    time.sleep(600)\n")
    tests = ["--test", "test_a", "--test", "test_hangs"]
    bot("rerun", "--suite", "suite", *tests, "-n", "1", "--timeout", "0.5s")
    assert [finding["failure"]["type"] for finding in findings(tmp_path)] == ["AssertionError", "Timeout"]


def test_a_suite_that_cannot_be_forked_is_tried_in_fresh_interpreters_and_that_is_said(
    bot: Bot, tmp_path: Path
) -> None:
    suite(tmp_path, conftest=LEAKY_CONFTEST + UNFORKABLE, test_it=LEAKY)
    done = bot("rerun", "--suite", "suite", "--test", "test_leaks", "-n", "2")
    (finding,) = findings(tmp_path)
    assert finding["failure"]["message"].splitlines()[0] == "raced: 1 corrupt"
    assert finding["witness"]["boundary"]["statement"] == "helper(device)"
    assert "note: each trial starts a fresh interpreter: the device is already open" in done.out


def test_no_text_of_a_suite_or_report_moves_the_cursor_or_commands_the_log(bot: Bot, tmp_path: Path) -> None:
    evil = "\\n::error::owned\\n\\x1b[2J##[group]x"
    suite(tmp_path, test_it=f"def test_evil():\n    raise ValueError('{evil}')\n")
    named = report(tmp_path, case("test_evil&#10;::warning::x", "&#10;::error::y"), case("test_evil", "z"))
    done = bot("rerun", "--suite", "suite", "--junit", named, "-n", "1")
    missing = bot("rerun", "--suite", "suite", "--test", "x\n::error::y\x1b[2J")
    for said in (done.out, done.err, missing.err):
        assert "\x1b" not in said
        assert not [line for line in said.splitlines() if line.strip().startswith(("::", "##["))]


def test_without_a_suite_the_bundled_one_is_meant(bot: Bot) -> None:
    done = bot("rerun", "--test", "no_such_race", "--runtime", "emulated")
    assert done.code == 2
    assert "none of the suite's" in done.err
