"""Every observation on disk before the next trial starts, so that an interrupted triage can go on."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from triage_bot.core.arms import Arm
from triage_bot.core.trials import Trial
from triage_bot.errors import UsageError
from triage_bot.lab.records import decode_observation, encode_observation


class Journal:
    """One line of JSON a trial, behind a first line that says under which conditions they were made."""

    def __init__(self, path: Path, conditions: Mapping[str, Any], *, resume: bool) -> None:
        """Start a journal, or go on with the one in ``path``.

        ``UsageError`` when its conditions were others, when it is not a journal, or when it cannot be written.
        """
        self._path = path
        self._trials: dict[str, list[Trial]] = {}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if not (resume and self._read(conditions)):
                path.write_text(json.dumps({"conditions": conditions}) + "\n", encoding="utf-8")
        except OSError as error:
            raise UsageError(
                f"{path} cannot be written: {error.strerror}", "run in a folder that you may write to"
            ) from None

    def by_test(self) -> dict[str, tuple[Trial, ...]]:
        """What was observed so far, by node id."""
        return {test: tuple(trials) for test, trials in self._trials.items()}

    def add(self, test: str, trial: Trial) -> None:
        """Write ``trial`` down; it is on disk when this returns."""
        self._trials.setdefault(test, []).append(trial)
        record = {
            "test": test,
            "ordinal": trial.ordinal,
            "arm": str(trial.arm),
            "search": trial.search,
            "before": trial.before,
            "observation": encode_observation(trial.observation),
        }
        with self._path.open("a", encoding="utf-8") as journal:
            journal.write(json.dumps(record) + "\n")
            journal.flush()
            os.fsync(journal.fileno())

    def _read(self, conditions: Mapping[str, Any]) -> bool:
        """Whether there was something to go on with."""
        data = self._path.read_bytes() if self._path.exists() else b""
        # Killed while it wrote, the bot leaves a last line without an end: that trial is run again.
        whole = data[: data.rfind(b"\n") + 1]
        if not whole:
            return False
        first, *lines = whole.split(b"\n")[:-1]
        self._compare(first, conditions)
        for number, line in enumerate(lines, 2):
            try:
                test, trial = _decode(json.loads(line))
            except _NO_RECORD:
                raise self._damaged(number) from None
            self._trials.setdefault(test, []).append(trial)
        os.truncate(self._path, len(whole))
        return True

    def _compare(self, first: bytes, conditions: Mapping[str, Any]) -> None:
        try:
            made_under = dict(json.loads(first)["conditions"])
        except _NO_RECORD:
            raise self._damaged(1) from None
        now = json.loads(json.dumps(conditions))
        if other := [name for name in {**made_under, **now} if made_under.get(name) != now.get(name)]:
            told = "; ".join(f"{name} {made_under.get(name)}, and now {now.get(name)}" for name in other)
            raise UsageError(
                f"{self._path} was made under other conditions: {told}",
                "run without --resume to start anew, or with the options it was made with",
            )

    def _damaged(self, number: int) -> UsageError:
        return UsageError(
            f"line {number} of {self._path} is none of a journal of triage-bot",
            "run without --resume: that starts anew, and replaces the file",
        )


_NO_RECORD = (ValueError, KeyError, TypeError, AttributeError)
"""What reading JSON raises that is no record of ours; ``UnicodeDecodeError`` is a ``ValueError``."""


def _decode(record: Mapping[str, Any]) -> tuple[str, Trial]:
    observation = decode_observation(record["observation"])
    before = tuple(record["before"])
    return record["test"], Trial(record["ordinal"], Arm.parse(record["arm"]), observation, record["search"], before)
