"""Reads what a trial's process left behind: its answer, or the way it died."""

from __future__ import annotations

import json
import signal
from dataclasses import replace
from pathlib import Path

from triage_bot.core.findings import Environment
from triage_bot.core.results import Failure, Outcome
from triage_bot.core.trials import Observation
from triage_bot.lab.records import Answer, decode_observation


def read(path: Path, seconds: float) -> Answer | None:
    """The answer in ``path``, with the wall ``seconds`` that the trial took from outside; None when there is none."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError:
        return None
    if not text.endswith("\n"):  # killed while it wrote
        return None
    record = json.loads(text)
    observation = replace(decode_observation(record["observation"]), seconds=seconds)
    return Answer(observation, Environment(**record["environment"]))


def timed_out(seconds: float, limit: float) -> Observation:
    """A trial that was ended from outside."""
    message = f"no result after {limit:g} s: the trial was ended with its whole process group"
    return Observation(Outcome.TIMED_OUT, Failure("Timeout", message), seconds)


def died(seconds: float, status: int) -> Observation:
    """A trial whose process ended without an answer; ``status`` is its exit code, negative for a signal."""
    how = f"signal {signal.Signals(-status).name}" if status < 0 else f"exit code {status}"
    return Observation(Outcome.CRASHED, Failure("Crash", f"the process ended by {how} without a result"), seconds)
