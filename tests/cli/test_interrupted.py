"""However ``rerun`` is ended: nothing goes on running, nothing observed is lost, and ``--resume`` goes on."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.driving import LEAKY, LEAKY_CONFTEST, UNFORKABLE, Done, findings, started, suite

Bot = Callable[..., Done]

HANGS = """
import os, pathlib, time

def test_hangs():
    pathlib.Path(os.environ["HUNG"]).touch()
    time.sleep(600)
"""


def until(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def journal(folder: Path) -> list[dict[str, Any]]:
    """The trials in it that are whole."""
    file = folder / ".triage" / "journal.jsonl"
    whole = file.read_text().rpartition("\n")[0] if file.exists() else ""
    return [json.loads(line) for line in whole.splitlines()[1:]]


def left_of(bot: int) -> list[int]:
    """Processes that the bot with this id started and that still live, whoever is their parent now."""
    mark, found = f"TRIAGE_BOT_PARENT={bot}".encode(), []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (process / "environ").read_bytes().split(b"\0"):
                found.append(int(process.name))
        except OSError:
            continue
    return found


def lasting(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What does not differ between two runs: times do, and addresses in the text of a failure."""
    return [
        {
            **finding,
            "arms": [{**arm, "seconds": 0} for arm in finding["arms"]],
            "failure": finding["failure"]["signature"],
        }
        for finding in found
    ]


def test_killed_again_and_again_it_finds_what_it_finds_undisturbed(bot: Bot, tmp_path: Path) -> None:
    suite(tmp_path, conftest=LEAKY_CONFTEST, test_it=LEAKY)
    command = ["rerun", "--suite", "suite", "--test", "test_leaks", "-n", "5"]
    bot(*command)
    undisturbed, trials = findings(tmp_path), len(journal(tmp_path))
    (tmp_path / "triage.json").unlink()
    (tmp_path / ".triage" / "journal.jsonl").unlink()

    for observed in (1, trials // 2):
        with started(tmp_path, *command, "--resume") as process:
            until(lambda: len(journal(tmp_path)) >= observed)  # noqa: B023 # waited for here
            process.kill()
            process.communicate()
        until(lambda: not left_of(process.pid))
        assert not (tmp_path / "triage.json").exists()
    bot(*command, "--resume")
    assert lasting(findings(tmp_path)) == lasting(undisturbed)
    assert len(journal(tmp_path)) == trials


@pytest.mark.parametrize(
    ("how", "conftest"),
    [(signal.SIGINT, ""), (signal.SIGTERM, UNFORKABLE), (signal.SIGKILL, UNFORKABLE)],
    ids=["SIGINT-forked", "SIGTERM-spawned", "SIGKILL-spawned"],
)
def test_ended_while_a_test_hangs_it_leaves_no_process(
    how: signal.Signals, conftest: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HUNG", str(tmp_path / "hung"))
    suite(tmp_path, conftest=conftest, test_it=HANGS)
    with started(tmp_path, "rerun", "--suite", "suite", "--test", "test_hangs", "-n", "1") as process:
        until((tmp_path / "hung").exists)
        process.send_signal(how)
        _, said = process.communicate(timeout=60)
    until(lambda: not left_of(process.pid))
    if how is not signal.SIGKILL:
        assert process.returncode == 130
        assert "interrupted; the same command with --resume goes on from here" in said
        assert "Traceback" not in said


def test_interrupted_it_tells_what_it_has_learned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HUNG", str(tmp_path / "hung"))
    monkeypatch.setenv("SEEN", str(tmp_path / "seen"))
    fails_once = "    seen = pathlib.Path(os.environ['SEEN'])\n    assert seen.exists() or seen.touch(), 'off by one'\n"
    suite(tmp_path, test_it=HANGS.replace("test_hangs():\n", f"test_hangs():\n{fails_once}"))
    with started(tmp_path, "rerun", "--suite", "suite", "--test", "test_hangs", "-n", "1") as process:
        until((tmp_path / "hung").exists)
        process.send_signal(signal.SIGINT)
        said, told = process.communicate(timeout=60)
    until(lambda: not left_of(process.pid))
    assert process.returncode == 130
    assert "the same command with --resume goes on from here" in told
    assert "  what   AssertionError: off by one (test_it.py:6)\n" in said
    assert "note: the run was ended early: it was interrupted" in said
    (finding,) = findings(tmp_path)
    assert finding["why"] == "budget-spent: the run was ended after 1 trial"


def test_resumed_it_repeats_no_trial(bot: Bot, tmp_path: Path) -> None:
    suite(tmp_path, test_it="def test_broken():\n    assert 1 == 2\n")
    command = ["rerun", "--suite", "suite", "--test", "test_broken", "-n", "5"]
    bot(*command)
    trials = journal(tmp_path)
    again = bot(*command, "--resume")
    assert journal(tmp_path) == trials
    assert "failed " not in again.err
    assert "broken (suspected)" in again.out


@pytest.mark.parametrize(
    ("change", "said"),
    [(["--timeout", "3m"], "timeout 120.0, and now 180.0"), (["--test", "test_b"], "tests ['test_a'], and now")],
    ids=["timeout", "tests"],
)
def test_trials_of_other_conditions_are_not_gone_on_from(
    bot: Bot, tmp_path: Path, change: list[str], said: str
) -> None:
    suite(tmp_path, test_it="def test_a():\n    pass\n\ndef test_b():\n    pass\n")
    command = ["rerun", "--suite", "suite", "--test", "test_a", "-n", "1"]
    bot(*command)
    done = bot(*command, *change, "--resume")
    assert done.code == 2
    assert f"was made under other conditions: {said}" in done.err
    assert "without --resume" in done.err


def test_nothing_to_resume_is_a_start(bot: Bot, tmp_path: Path) -> None:
    suite(tmp_path, test_it="def test_a():\n    pass\n")
    done = bot("rerun", "--suite", "suite", "--test", "test_a", "-n", "1", "--resume")
    assert (done.code, len(journal(tmp_path))) == (0, 1)
