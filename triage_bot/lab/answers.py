"""What a trial's process leaves behind: its answer, or the way it died."""

from __future__ import annotations

from dataclasses import asdict, replace

# Bound here, before a test can put something in their place.
from json import dumps, loads
from os import O_CREAT, O_TRUNC, O_WRONLY, close, fchmod
from os import open as open_descriptor
from os import write as write_bytes
from pathlib import Path

from triage_bot.core.findings import Environment
from triage_bot.core.results import DEATH, HANG, Failure, Outcome
from triage_bot.core.trials import Observation
from triage_bot.lab.processes import ending
from triage_bot.lab.records import Answer, decode_observation, encode_observation

UNTOLD = "triage-bot: the trial cannot be told: "
"""Begins the last line of a trial that ran and could not answer; what follows is the reason."""


def write(path: Path, answer: Answer) -> None:
    """Leave an answer in ``path``. The test may have cleared its folder away."""
    record = {"observation": encode_observation(answer.observation), "environment": asdict(answer.environment)}
    left = memoryview(dumps(record).encode() + b"\n")
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = open_descriptor(path, O_WRONLY | O_CREAT | O_TRUNC)
    fchmod(descriptor, 0o600)  # whatever mask the test left
    while left:
        left = left[write_bytes(descriptor, left) :]
    close(descriptor)


def read(path: Path, seconds: float) -> Answer | None:
    """The answer in ``path``, with the wall ``seconds`` that the trial took from outside; None when there is none."""
    try:
        record = loads(path.read_bytes())
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


def died(seconds: float, status: int, said: str = "", *, parent_too: bool = False) -> Observation:
    """A trial whose process ended without an answer; ``status`` is its exit code, negative for a signal.

    ``said``: the end of what it printed. ``parent_too``: the process that had forked it ended with it.
    """
    if UNTOLD in said:
        return replace(not_run(said.rpartition(UNTOLD)[2].splitlines()[0]), seconds=seconds)
    whose = "the process and the one that had forked it" if parent_too else "the process"
    return Observation(
        Outcome.CRASHED, Failure(DEATH, f"{whose} ended by {ending(status)} without a result", text=said), seconds
    )


def not_run(reason: str) -> Observation:
    """A trial that says nothing about the test."""
    return Observation(Outcome.NOT_RUN, None, 0.0, reason=reason)
