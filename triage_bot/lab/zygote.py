"""The warm process: it has collected the suite once, and forks a child for each trial.

A trial in a forked child starts in a fraction of a second, with everything imported and no device touched; a rerun in
the same process would inherit what the last one leaked (host registrations, sticky errors, pool memory).
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import signal
import socket
from typing import Any, NoReturn

import pytest

from triage_bot.core.arms import Arm
from triage_bot.lab import orphans, torch_runtime, trial
from triage_bot.lab.chance import Chance
from triage_bot.lab.processes import die_with
from triage_bot.lab.recorder import MESSAGE_CAP
from triage_bot.lab.records import Order
from triage_bot.lab.unattended import CHANCE


def serve(session: pytest.Session, descriptor: int) -> NoReturn:
    """Answer orders on the socket ``descriptor``, one JSON line each, until the other end closes it; then end."""
    chance = session.config.stash[CHANCE]
    chance.collected()
    spared = orphans.children()
    orphans.adopt()
    # A bot that went away is no error: nobody is left to be told.
    with (
        contextlib.suppress(ConnectionError),
        socket.socket(fileno=descriptor) as connection,
        connection.makefile("rwb") as lines,
    ):
        _tell(lines, _hello(session))
        gc.freeze()
        for line in lines:
            order = Order.decode(json.loads(line))
            _warm(order.arm)
            child = _fork(session, order, chance, connection)
            _tell(lines, {"pid": child})
            _, status = os.waitpid(child, 0)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
            orphans.end(spared)
            _tell(lines, {"status": os.waitstatus_to_exitcode(status)})
    orphans.end(spared)
    os._exit(0)


def _fork(session: pytest.Session, order: Order, chance: Chance, connection: socket.socket) -> int:
    """Start the trial in a child. Its process id; the child never returns."""
    ours = os.getpid()
    child = os.fork()
    if child == 0:
        # A session of its own: ended as a whole, with everything that the test may start.
        os.setsid()
        die_with(ours)
        connection.close()
        chance.forked()
        trial.run(session, order)
    return child


def _hello(session: pytest.Session) -> dict[str, Any]:
    return {
        "collected": collected(session),
        "hazard": torch_runtime.fork_hazard() or _started(),
        "errors": uncollected(session),
        "root": str(session.config.rootpath),
    }


def _started() -> str:
    """What of the processes that the suite started at import keeps trials from being forked; empty when nothing does.

    Only their parent can wait for them, or see that they run.
    """
    for child in orphans.children():
        command = orphans.command(child)
        # It answers anyone who holds its pipe.
        if command and "multiprocessing.resource_tracker" not in command:
            return f"the suite started {command[:_QUOTED]!r} while it was imported or collected"
    return ""


_QUOTED = 80
"""Characters of a command line that are quoted."""


def collected(session: pytest.Session) -> list[dict[str, Any]]:
    """The tests of the suite, as the lab wants to know them."""
    return [
        {"node_id": item.nodeid, "marked_stream": item.get_closest_marker("stream") is not None}
        for item in session.items
    ]


def uncollected(session: pytest.Session) -> list[str]:
    """What of the suite could not be collected, each with the last line that pytest says of it."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    reports = reporter.stats.get("error", ()) if reporter is not None else ()
    return [f"{report.nodeid}: {_cause(report.longreprtext)}" for report in reports]


def _cause(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    told = [line[1:].strip() for line in lines if line.startswith("E ")]
    return next(reversed(told or lines), "")[:MESSAGE_CAP]


def _warm(arm: Arm) -> None:
    """Import what a trial of this arm would import, once for all children."""
    if arm.skewed is not None or arm.isolation is not None:
        torch_runtime.warm()


def _tell(lines: Any, record: dict[str, Any]) -> None:
    lines.write(json.dumps(record).encode() + b"\n")
    lines.flush()
