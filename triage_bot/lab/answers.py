"""Reads what a trial's process left behind: its answer, or the way it died."""

from __future__ import annotations

import json
import signal
from dataclasses import replace
from pathlib import Path

from triage_bot.core.findings import Environment
from triage_bot.core.results import DEATH, HANG, Failure, Outcome
from triage_bot.core.trials import Observation
from triage_bot.lab.records import Answer, decode_observation


def read(path: Path, seconds: float) -> Answer | None:
    """The answer in ``path``, with the wall ``seconds`` that the trial took from outside; None when there is none."""
    try:
        record = json.loads(path.read_bytes())
        observation = replace(decode_observation(record["observation"]), seconds=seconds)
        return Answer(observation, Environment(**record["environment"]))
    except (
        OSError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
    ):  # never written, cut by its death, or scribbled on
        return None


def timed_out(seconds: float, limit: float) -> Observation:
    """A trial that was ended from outside."""
    message = f"no result after {limit:g} s: the trial was ended with its whole process group"
    return Observation(Outcome.TIMED_OUT, Failure(HANG, message), seconds)


def died(seconds: float, status: int) -> Observation:
    """A trial whose process ended without an answer; ``status`` is its exit code, negative for a signal."""
    how = f"signal {_SIGNALS.get(-status, -status)}" if status < 0 else f"exit code {status}"
    return Observation(Outcome.CRASHED, Failure(DEATH, f"the process ended by {how} without a result"), seconds)


_SIGNALS = {number.value: number.name for number in signal.Signals}
"""Real-time signals have no name."""
