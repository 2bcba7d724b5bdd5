"""Runs trials of a pytest suite: forked from a warm process where that is safe, in fresh interpreters where not."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

from triage_bot.core.arms import Arm
from triage_bot.core.findings import Environment
from triage_bot.core.remedy import Patch
from triage_bot.core.results import Outcome
from triage_bot.core.trials import Observation
from triage_bot.errors import LabError
from triage_bot.lab import answers, orphans
from triage_bot.lab.logs import LAST_WORDS, Log
from triage_bot.lab.processes import CACHE, end_group, start_pytest
from triage_bot.lab.records import Order
from triage_bot.lab.zygote_client import Zygote, ZygoteEndedError
from triage_bot.ports import CollectedTest

_STARTUP_SECONDS = 300.0
"""Importing and collecting a GPU suite takes its time; a hang there must still end."""

_IMPORT_SECONDS = 30.0
"""What a fresh interpreter may add to a trial before its test begins."""

_QUOTED = 5
"""Modules that could not be collected and are named; the rest is counted."""


@dataclass
class PytestLab:
    """The lab of one suite. Use as a context manager: leaving it ends every process that it started."""

    arguments: Sequence[str]
    """What follows ``pytest`` on the command line: paths and options of the suite."""
    folder: Path
    """Where orders, answers and logs are kept. Absolute."""
    timeout: float = 120.0
    """Seconds after which a trial is ended."""
    _zygote: Zygote | None = None
    _tests: tuple[CollectedTest, ...] = ()
    _root: Path = Path()
    _scratch: Path = Path()
    """For temporary folders of the tests and whatever else pytest writes."""
    _environment: Environment = field(default_factory=Environment)
    _remarks: list[str] = field(default_factory=list)
    _forks_proven: bool = False
    """A forked child has answered: from then on a child that hangs is the test's own doing."""

    _log: Log = field(init=False)
    _others: frozenset[int] = frozenset()
    """Processes that were there before: children that this process started itself."""
    _held: ExitStack = field(default_factory=ExitStack)
    """What is let go when the lab is left."""

    def __enter__(self) -> PytestLab:
        self.folder.mkdir(parents=True, exist_ok=True)
        with self._held:
            self._log = self._held.enter_context(closing(Log(self.folder / "pytest.log")))
            # Not in the working folder: tests make sockets in there, whose paths must be short.
            scratch = tempfile.TemporaryDirectory(prefix="triage-", ignore_cleanup_errors=True)
            self._scratch = Path(self._held.enter_context(scratch))
            self._others = orphans.children()
            orphans.adopt()
            self._held.callback(self._close)
            self._start()
            self._held = self._held.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._held.close()

    def collected(self) -> Sequence[CollectedTest]:
        """Every test of the suite, in collection order."""
        return self._tests

    def environment(self) -> Environment:
        """What the trials run on, as the last one told it."""
        return self._environment

    def remarks(self) -> Sequence[str]:
        """How trials ran here, where that is not as one would expect."""
        return tuple(self._remarks)

    def run(
        self, node_id: str, arm: Arm, ordinal: int, before: Sequence[str] = (), patch: Patch | None = None
    ) -> Observation:
        """One trial in a process of its own. Death and hang are observations; ``LabError`` when none can be run."""
        applied = patch and Patch(str(self._root / patch.file), patch.source)
        shutil.rmtree(self._scratch / CACHE, ignore_errors=True)  # what a trial kept there is not the next one's
        order = Order(node_id, tuple(before), arm, ordinal, str(self._answer(ordinal)), applied)
        if self._zygote is None:
            return self._spawned(order)
        observation = self._forked(self._zygote, order)
        if observation.outcome is Outcome.TIMED_OUT and not self._forks_proven:
            return self._settle(order, observation)
        self._forks_proven = True
        return observation

    def source(self, file: str) -> str | None:
        """The text of a source file as a ``Site`` names it; None when it cannot be read as UTF-8."""
        try:
            return (self._root / file).read_bytes().decode("utf-8")
        except (OSError, UnicodeDecodeError):
            return None

    def _start(self) -> None:
        zygote = self._zygote_started()
        self._tests = zygote.hello.collected
        self._root = zygote.hello.root
        if zygote.hello.errors:
            self._uncollected(zygote)
        if zygote.hello.hazard:
            zygote.close()
            orphans.end(self._others)
            self._remarks.append(f"each trial starts a fresh interpreter: {zygote.hello.hazard}")
        else:
            self._zygote = zygote

    def _zygote_started(self) -> Zygote:
        return Zygote(self.arguments, self._log, self._scratch, _STARTUP_SECONDS)

    def _uncollected(self, zygote: Zygote) -> None:
        causes = zygote.hello.errors
        if not self._tests:
            zygote.close()
            told = "".join(f"\n    {cause}" for cause in causes[:_QUOTED])
            raise LabError(
                f"no test of the suite could be collected:{told}", "run `pytest --collect-only` and mend what it says"
            )
        self._remarks += [f"not collected: {cause}" for cause in causes[:_QUOTED]]
        if len(causes) > _QUOTED:
            self._remarks.append(f"{len(causes) - _QUOTED} more modules were not collected")

    def _close(self) -> None:
        if self._zygote is not None:
            self._zygote.close()
            self._zygote = None
        orphans.end(self._others)

    def _forked(self, zygote: Zygote, order: Order) -> Observation:
        if not zygote.alive:
            zygote.close()
            zygote = self._zygote = self._zygote_started()
        printed, started = self._log.begin(), time.monotonic()
        try:
            status = zygote.trial(order, self.timeout)
        except ZygoteEndedError:
            seconds, status = time.monotonic() - started, zygote.close()
            observation = self._read(order, seconds, status, self._log, printed, parent_too=True)
            self._zygote = self._zygote_started()
            return observation
        return self._read(order, time.monotonic() - started, status, self._log, printed)

    def _settle(self, order: Order, hung: Observation) -> Observation:
        """The first child hung: the test, or the fork (locks that another thread held)? A fresh interpreter tells."""
        observation = self._spawned(order)
        if observation.outcome is Outcome.TIMED_OUT:
            self._forks_proven = True
            return hung
        self._close()
        self._remarks.append("each trial starts a fresh interpreter: a forked child hung where a fresh one answered")
        return observation

    def _spawned(self, order: Order) -> Observation:
        path = self.folder / "order.json"
        path.write_text(json.dumps(order.encode()), encoding="utf-8")
        printed, started = self._log.begin(), time.monotonic()
        process = start_pytest([f"--triage-trial={path}", *self.arguments], self._log.file, self._scratch)
        status: int | None
        try:
            status = process.wait(self.timeout + _IMPORT_SECONDS)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            end_group(process.pid)
            process.wait()
            # What it started in sessions of their own; a warm process lives on.
            orphans.end(self._others | ({self._zygote.pid} if self._zygote else set()))
        return self._read(order, time.monotonic() - started, status, self._log, printed)

    def _read(  # noqa: PLR0913 - all that is known of how a trial ended
        self, order: Order, seconds: float, status: int | None, log: Log, printed: int, *, parent_too: bool = False
    ) -> Observation:
        """``log``: what it printed, behind the byte ``printed``."""
        path = Path(order.answer)
        answer = answers.read(path, seconds)
        with suppress(OSError):  # a test may have put anything in its place
            path.unlink()
        if answer is not None:
            self._environment = answer.environment
            return answer.observation
        if status is None:
            return answers.timed_out(seconds, self.timeout)
        return answers.died(seconds, status, log.tail(printed, LAST_WORDS), parent_too=parent_too)

    def _answer(self, ordinal: int) -> Path:
        path = self.folder / f"answer-{ordinal}.json"
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise LabError(f"{path} cannot be written: {error}", "give triage-bot a folder that it may write") from None
        return path
