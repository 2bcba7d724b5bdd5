"""What a trial's process leaves behind: its answer, or the way it died."""

from __future__ import annotations

import json
import signal
from dataclasses import asdict
from pathlib import Path

import pytest

from triage_bot.core.findings import Environment
from triage_bot.core.results import Outcome
from triage_bot.core.trials import Observation
from triage_bot.lab.answers import died, read
from triage_bot.lab.records import encode_observation

WHOLE = json.dumps(
    {
        "observation": encode_observation(Observation(Outcome.PASSED, None, 0.0)),
        "environment": asdict(Environment(device="a list")),
    }
)


def test_an_answer_is_read_with_the_time_it_took_from_outside(tmp_path: Path) -> None:
    (tmp_path / "answer").write_text(WHOLE + "\n")
    answer = read(tmp_path / "answer", 1.5)
    assert answer is not None
    assert (answer.observation.seconds, answer.environment.device) == (1.5, "a list")


@pytest.mark.parametrize(
    "text", ["", WHOLE[:-9], "[]", "3", '{"observation": {}}', WHOLE.replace("passed", "fine"), "\udcff"]
)
def test_what_is_no_answer_counts_as_none(tmp_path: Path, text: str) -> None:
    """The code under test runs in that process, and may have written anything."""
    (tmp_path / "answer").write_bytes(text.encode("utf-8", "surrogateescape"))
    assert read(tmp_path / "answer", 1.5) is None
    assert read(tmp_path / "absent", 1.5) is None


@pytest.mark.parametrize(
    ("status", "how"),
    [
        (-signal.SIGSEGV, "signal SIGSEGV"),
        (-(signal.SIGRTMIN + 1), "signal 35"),
        (0, "exit code 0"),
        (3, "exit code 3"),
    ],
)
def test_a_death_says_how(status: int, how: str) -> None:
    observation = died(0.5, status)
    assert observation.outcome is Outcome.CRASHED
    assert observation.failure is not None
    assert f"ended by {how} without a result" in observation.failure.message
