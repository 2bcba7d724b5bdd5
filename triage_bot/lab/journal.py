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
        """Start a journal, or go on with the one in ``path``; ``UsageError`` when its conditions were others."""
        self._path = path
        self._trials: dict[str, list[Trial]] = {}
        if resume and path.exists():
            self._read(conditions)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"conditions": conditions}) + "\n", encoding="utf-8")

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

    def _read(self, conditions: Mapping[str, Any]) -> None:
        # Killed while it wrote, the bot leaves a last line without an end: that trial is run again.
        text = self._path.read_text(encoding="utf-8")
        whole, _, _ = text.rpartition("\n")
        first, *records = whole.splitlines() or ["{}"]
        made_under = json.loads(first).get("conditions")
        if made_under != json.loads(json.dumps(conditions)):
            raise UsageError(
                f"{self._path} was made under other conditions: {made_under}",
                "run without --resume to start anew, or with the options it was made with",
            )
        self._path.write_text(whole + "\n", encoding="utf-8")
        for line in records:
            record = json.loads(line)
            trial = Trial(
                record["ordinal"],
                Arm.parse(record["arm"]),
                decode_observation(record["observation"]),
                record["search"],
                tuple(record["before"]),
            )
            self._trials.setdefault(record["test"], []).append(trial)
