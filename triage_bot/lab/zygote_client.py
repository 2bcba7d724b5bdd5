"""The bot's end of the warm process: starts it, orders trials, and ends a child that takes too long."""

from __future__ import annotations

import json
import socket
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from triage_bot.errors import LabError
from triage_bot.lab.logs import Log
from triage_bot.lab.processes import end_group, ending, start_pytest
from triage_bot.lab.records import Order
from triage_bot.ports import CollectedTest

_REAP_SECONDS = 30.0
"""How long a killed child may take to disappear: it first gives its device memory back."""

_FAREWELL_SECONDS = 5.0
"""How long the warm process may take to end what its children left running."""


class ZygoteEndedError(LabError):
    """The warm process is gone."""


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
    """One warm process. Raises ``LabError`` when it cannot be started or does not answer."""

    def __init__(self, arguments: Sequence[str], log: Log, scratch: Path, startup_seconds: float) -> None:
        self._log = log
        log.clear()
        ours, theirs = socket.socketpair()
        with theirs:
            options = [f"--triage-serve={theirs.fileno()}", *arguments]
            self._process = start_pytest(options, log.file, scratch, [theirs.fileno()])
        self._connection = ours
        self._lines = ours.makefile("rwb")
        try:
            hello = self._hear(startup_seconds)
            if hello is None:
                raise LabError(
                    f"the suite was not collected after {startup_seconds:g} s", f"see what hangs, in {log.path}"
                )
        except BaseException:
            self.close(farewell=0.0)  # it does not listen yet
            raise
        tests = tuple(CollectedTest(**test) for test in hello["collected"])
        self.hello = Hello(tests, hello["hazard"], tuple(hello["errors"]), Path(hello["root"]))

    @property
    def pid(self) -> int:
        """Its process id, which is also its group's."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it can be ordered a trial."""
        return self._process.poll() is None

    def trial(self, order: Order, limit: float) -> int | None:
        """The exit status of the ordered trial's child, negative for a signal; None when it was ended at ``limit``.

        ``ZygoteEndedError`` when the child took the warm process with it.
        """
        self._lines.write(json.dumps(order.encode()).encode() + b"\n")
        self._lines.flush()
        child = self._expect(_REAP_SECONDS)["pid"]
        try:
            told = self._hear(limit)
        except BaseException:
            end_group(child)
            raise
        if told is not None:
            return int(told["status"])
        end_group(child)
        self._expect(_REAP_SECONDS)
        return None

    def close(self, farewell: float = _FAREWELL_SECONDS) -> int:
        """End the warm process and whatever it started. Its exit status, negative for a signal."""
        with suppress(ConnectionError):  # what was not sent is of no use any more
            self._lines.close()
        self._connection.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(farewell)
        end_group(self._process.pid)
        return self._process.wait()

    def _expect(self, seconds: float) -> dict[str, Any]:
        told = self._hear(seconds)
        if told is None:
            raise LabError(
                f"the warm process did not answer for {seconds:g} s",
                f"a child may hang in the driver: look at nvidia-smi, and at {self._log.path}",
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
        except ConnectionError:
            line = b""
        if not line:
            raise self._ended()
        record: dict[str, Any] = json.loads(line)
        return record

    def _ended(self) -> ZygoteEndedError:
        end_group(self._process.pid)  # it no longer listens, or is gone
        how = ending(self._process.wait())
        return ZygoteEndedError(
            f"pytest ended by {how} instead of serving trials:\n{self._log.tail()}",
            f"run the suite with pytest and mend what it says; the whole log is {self._log.path}",
        )
