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
import sys
from typing import Any

import pytest

from triage_bot.core.arms import Arm
from triage_bot.lab import torch_runtime, trial
from triage_bot.lab.processes import die_with
from triage_bot.lab.records import Order
from triage_bot.lab.trial import MESSAGE_CAP


def serve(session: pytest.Session, descriptor: int) -> None:
    """Answer orders on the socket ``descriptor``, one JSON line each, until the other end closes it."""
    ours = os.getpid()
    with socket.socket(fileno=descriptor) as connection, connection.makefile("rwb") as lines:
        _tell(
            lines,
            {
                "collected": collected(session),
                "hazard": torch_runtime.fork_hazard(),
                "errors": uncollected(session),
                "root": str(session.config.rootpath),
            },
        )
        gc.freeze()
        for line in lines:
            order = Order.decode(json.loads(line))
            _warm(order.arm)
            child = os.fork()
            if child == 0:
                # A session of its own: ended as a whole, with everything that the test may start.
                os.setsid()
                die_with(ours)
                connection.close()
                _run(session, order)
            _tell(lines, {"pid": child})
            _, status = os.waitpid(child, 0)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
            _tell(lines, {"status": os.waitstatus_to_exitcode(status)})


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


def _run(session: pytest.Session, order: Order) -> None:
    try:
        trial.run(session, order)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        sys.stderr.flush()
    finally:
        os._exit(70)


def _tell(lines: Any, record: dict[str, Any]) -> None:
    lines.write(json.dumps(record).encode() + b"\n")
    lines.flush()
