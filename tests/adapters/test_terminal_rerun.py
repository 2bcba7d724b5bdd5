"""What ``rerun`` shows: in a log, in a terminal, and in the end."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import pytest

from tests.samples import LEAK, triage
from triage_bot.adapters import terminal_rerun
from triage_bot.adapters.terminal_rerun import Progress, summary
from triage_bot.core.arms import AS_IS, Arm
from triage_bot.core.experiment import Step
from triage_bot.core.explain import Clean
from triage_bot.core.findings import ArmTally, Problem
from triage_bot.core.results import Outcome
from triage_bot.core.trials import Observation, Trial

TEST = "test_a.py::test_store"
LONG = Step(Arm.parse("skewed:compute_stream+serialized"), False, "does it need concurrency on the device?" * 3)
EVIL = "x\n::error::owned\n\x1b[2J##[group]"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, *, columns: int, interrupted: bool = False) -> str:
    """What a trial looks like on this stream."""
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr("sys.stderr", stream)
    with Progress() as progress:
        progress.starting(TEST, 3, LONG)
        if not interrupted:
            progress.observed(TEST, Trial(3, LONG.arm, Observation(Outcome.TIMED_OUT, None, 120.5), False))
    return stream.getvalue()


def test_a_log_gets_one_whole_line_a_trial_and_nothing_that_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    said = shown(monkeypatch, io.StringIO(), columns=80)
    assert said == (f"\n{TEST}\n    4  timed-out  120.50 s  skewed:compute_stream+serialized {LONG.purpose}\n")


def test_a_log_that_asks_for_colours_still_holds_nothing_that_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert not re.search(r"\x1b\[[?\d;]*[A-Za-ln-z]", shown(monkeypatch, io.StringIO(), columns=80))


@pytest.mark.parametrize("columns", [80, 120])
def test_a_terminal_gets_lines_that_fit_it(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    said = shown(monkeypatch, Terminal(), columns=columns)
    lines = re.sub(r"\x1b\[[?\d;]*[A-Za-z]", "\r", said).replace("\n", "\r").split("\r")
    assert max(len(line) for line in lines) <= columns
    assert "120.50 s  skewed:compute_stream+serialized does it" in said


def test_an_interruption_gives_the_cursor_back(monkeypatch: pytest.MonkeyPatch) -> None:
    said = shown(monkeypatch, Terminal(), columns=80, interrupted=True)
    assert "\x1b[?25l" in said
    assert said.rindex("\x1b[?25h") > said.rindex("\x1b[?25l")


def test_the_summary_begins_with_the_verdict_and_ends_with_what_is_to_do() -> None:
    told = replace(triage(LEAK), problems=(Problem("lab", "each trial starts a fresh interpreter"),))
    lines = summary(told, [], 12.34).splitlines()
    assert lines[0] == f"cross-phase-contamination (confirmed)  {LEAK.test}"
    assert lines[1] == (
        "  what   AssertionError: store raced compute even with the barrier: 1 corrupt (tests/test_worker.py:52)"
    )
    assert lines[2] == f"  why    {LEAK.why}"
    assert lines[3] == "  where  tests/test_worker.py:49  control = _drive_store(worker, with_barrier=False)"
    assert lines[4] == "         734 ms on compute_stream, created at tests/test_worker.py:23 in _drive_store"
    assert lines[5] == "  proof  failed: as-is 0/5  stretched 5/5  stretched+drained 0/5  p = 0.004"
    assert "         +    compute_stream.synchronize()" in lines
    assert lines[-5:] == [
        "  next   nothing needs you: the test leaks, not the change",
        "",
        "15 trials in 12.3 s on NVIDIA H200",
        "",
        "note: each trial starts a fresh interpreter",
    ]


def test_a_clean_test_says_what_its_passes_rule_out() -> None:
    clean = Clean(TEST, (ArmTally(AS_IS, 14, 0, 0, 1.0), ArmTally(Arm(stretched=True), 2, 0, 0, 1.0)), 0.19)
    said = summary(triage(), [clean], 1.0)
    assert said.startswith(f"nothing to triage  {TEST}\n  why    it passed all 16 trials, also under stretched\n")
    assert "14 passes as-is rule out a failure rate of 19% or more (95 %)" in said


def test_hostile_text_neither_moves_the_cursor_nor_commands_the_log() -> None:
    evil = replace(LEAK, test=EVIL, why=EVIL, polluter=EVIL)
    said = summary(replace(triage(evil), problems=(Problem("lab", EVIL),)), [Clean(EVIL, (), 1.0)], 1.0)
    assert "\x1b" not in said
    assert not [line for line in said.splitlines() if line.strip().startswith(("::", "##["))]


def test_a_long_reason_is_cut() -> None:
    said = summary(triage(replace(LEAK, why="y" * 5_000)), [], 1.0)
    assert max(len(line) for line in said.splitlines()) <= terminal_rerun.WHY + 20
