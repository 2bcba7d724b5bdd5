"""The bot's end of the warm process: starts it, orders trials, and ends a child that takes too long."""

from __future__ import annotations

import json
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from triage_bot.errors import LabError
from triage_bot.lab.processes import end_group, start_pytest, tail
from triage_bot.lab.records import Order
from triage_bot.ports import CollectedTest

_REAP_SECONDS = 30.0
"""How long a killed child may take to disappear: it first gives its device memory back."""


@dataclass(frozen=True)
class Hello:
    """What the warm process tells once it has collected the suite."""

    collected: tuple[CollectedTest, ...]
    hazard: str
    """Why its children could not use the device; empty when they can."""
    errors: tuple[str, ...]
    """Modules that could not be collected, each with its cause."""
    root: Path
    """What the suite's files are named relative to."""


class Zygote:
    """One warm process. Raises ``LabError`` when it cannot be started or dies."""

    def __init__(self, arguments: Sequence[str], log: Path, startup_seconds: float) -> None:
        self._log = log
        log.unlink(missing_ok=True)  # an error quotes its end: that must be of this process
        ours, theirs = socket.socketpair()
        with theirs:
            options = [f"--triage-serve={theirs.fileno()}", *arguments]
            self._process = start_pytest(options, log, [theirs.fileno()])
        self._connection = ours
        self._lines = ours.makefile("rwb")
        try:
            hello = self._hear(startup_seconds)
            if hello is None:
                raise LabError(f"the suite was not collected after {startup_seconds:g} s", f"see what hangs, in {log}")
        except BaseException:
            self.close()
            raise
        tests = tuple(CollectedTest(**test) for test in hello["collected"])
        self.hello = Hello(tests, hello["hazard"], tuple(hello["errors"]), Path(hello["root"]))

    def trial(self, order: Order, limit: float) -> int | None:
        """The exit status of the ordered trial's child, negative for a signal; None when it was ended at ``limit``."""
        self._lines.write(json.dumps(order.encode()).encode() + b"\n")
        self._lines.flush()
        child = self._expect(_REAP_SECONDS)["pid"]
        try:
            told = self._hear(limit)
        except KeyboardInterrupt:
            end_group(child)
            raise
        if told is not None:
            return int(told["status"])
        end_group(child)
        self._expect(_REAP_SECONDS)
        return None

    def close(self) -> None:
        """End the warm process and whatever it started."""
        self._lines.close()
        self._connection.close()
        end_group(self._process.pid)
        self._process.wait()

    def _expect(self, seconds: float) -> dict[str, Any]:
        told = self._hear(seconds)
        if told is None:
            raise LabError(
                f"the warm process did not answer for {seconds:g} s",
                f"a child may hang in the driver: look at nvidia-smi, and at {self._log}",
            )
        return told

    def _hear(self, seconds: float) -> dict[str, Any] | None:
        """The next line of the warm process; None when none came in time."""
        self._connection.settimeout(seconds)
        try:
            line = self._lines.readline()
        except TimeoutError:
            # The buffered reader refuses to be read after a time-out.
            self._lines = self._connection.makefile("rwb")
            return None
        if not line:
            raise LabError(
                f"pytest ended instead of serving trials:\n{tail(self._log)}",
                f"run the suite with pytest and mend what it says; the whole log is {self._log}",
            )
        record: dict[str, Any] = json.loads(line)
        return record
