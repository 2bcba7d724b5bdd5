"""The warm process: it has collected the suite once, and forks a child for each trial.

A trial in a forked child starts in a fraction of a second, with everything imported and no device touched; a rerun in
the same process would inherit what the last one leaked (host registrations, sticky errors, pool memory).
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import os
import signal
import socket
import sys
from pathlib import Path
from typing import Any

import pytest

from triage_bot.core.arms import Arm
from triage_bot.lab import trial
from triage_bot.lab.records import Order

_PR_SET_PDEATHSIG = 1


def serve(session: pytest.Session, descriptor: int) -> None:
    """Answer orders on the socket ``descriptor``, one JSON line each, until the other end closes it."""
    _die_with_parent()
    with socket.socket(fileno=descriptor) as connection, connection.makefile("rwb") as lines:
        _tell(lines, {"collected": collected(session), "hazard": fork_hazard(), "errors": session.testsfailed})
        gc.freeze()
        for line in lines:
            order = Order.decode(json.loads(line))
            _warm(order.arm)
            child = os.fork()
            if child == 0:
                # A session of its own: ended as a whole, with everything that the test may start.
                os.setsid()
                _die_with_parent()
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


def fork_hazard() -> str:
    """Why a child of this process could not use its device; empty when it can.

    A CUDA context does not survive a fork. NVML holds other device files open, so this one tells the driver's state
    whatever framework initialized it.
    """
    with contextlib.suppress(OSError):
        for descriptor in Path("/proc/self/fd").iterdir():
            with contextlib.suppress(OSError):
                if descriptor.readlink() == Path("/dev/nvidia-uvm"):
                    return "CUDA was initialized while the suite was imported or collected"
    if "torch" in sys.modules:
        from triage_bot.lab import torch_runtime  # noqa: PLC0415  # loads torch: only for suites that did

        return torch_runtime.fork_hazard()
    return ""


def _warm(arm: Arm) -> None:
    """Import what a trial of this arm would import, once for all children."""
    if "torch" in sys.modules and (arm.skewed is not None or arm.isolation is not None):
        from triage_bot.lab import torch_runtime  # noqa: PLC0415  # as above

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


def _die_with_parent() -> None:
    """Ask the kernel to end this process when its parent ends: an interrupted bot leaves nothing on the device."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
