"""Every observation on disk before the next trial starts, so that an interrupted triage can go on."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from triage_bot.core.arms import Arm
from triage_bot.core.trials import Trial
from triage_bot.errors import LabError, UsageError
from triage_bot.lab.records import decode_observation, encode_observation


class Journal:
    """One line of JSON a trial, behind a first line that says under which conditions they were made.

    Use as a context manager: as long as it is open it belongs to one run, and with it the folder that it is in.
    """

    def __init__(self, path: Path, conditions: Mapping[str, Any], *, resume: bool) -> None:
        """Start a journal, or go on with the one in ``path``. Until the first trial is added, what is there stays.

        ``UsageError`` when its conditions were others, when it is not a journal, when another run has it open, or when
        it cannot be written.
        """
        self._path = path
        self._trials: dict[str, list[Trial]] = {}
        self._conditions = conditions
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            # Held open: what a test does to the folder cannot end a run.
            self._file = path.open("a+b")
        except OSError as error:
            raise UsageError(
                f"{path} cannot be written: {error.strerror}", "run in a folder that you may write to"
            ) from None
        try:
            self._take()
            self._begun = resume and self._read(conditions)
        except BaseException:
            self._close()
            raise

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def _close(self) -> None:
        with suppress(OSError):  # what a full disk refused has been told
            self._file.close()

    def by_test(self) -> dict[str, tuple[Trial, ...]]:
        """What was observed so far, by node id."""
        return {test: tuple(trials) for test, trials in self._trials.items()}

    def add(self, test: str, trial: Trial) -> None:
        """Write ``trial`` down; it is on disk when this returns. ``LabError`` when the disk refuses."""
        self._trials.setdefault(test, []).append(trial)
        if not self._begun:
            self._file.truncate(0)
            self._write({"conditions": self._conditions})
            self._begun = True
        self._write(
            {
                "test": test,
                "ordinal": trial.ordinal,
                "arm": str(trial.arm),
                "search": trial.search,
                "before": trial.before,
                "observation": encode_observation(trial.observation),
            }
        )

    def _take(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageError(
                f"another run of triage-bot uses {self._path.parent}", "wait for its end, or run in another folder"
            ) from None

    def _write(self, record: Mapping[str, Any]) -> None:
        try:
            self._file.write(json.dumps(record).encode() + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise LabError(
                f"{self._path} cannot be written: {error.strerror}", "make room, and go on with --resume"
            ) from None

    def _read(self, conditions: Mapping[str, Any]) -> bool:
        """Whether there was something to go on with."""
        self._file.seek(0)
        data = self._file.read()
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
        self._file.truncate(len(whole))
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
