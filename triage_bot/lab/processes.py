"""Starts pytest for the lab, and ends what it started: with the whole process group, whatever hangs in it."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import BinaryIO

from triage_bot.lab.torch_runtime import FORKABLE_ENVIRONMENT

PARENT = "TRIAGE_BOT_PARENT"
"""Variable with the process id of the bot, for what it starts."""
CACHE = "cache"
"""Where, in its scratch folder, a session keeps what pytest remembers from run to run."""
_PR_SET_PDEATHSIG = 1


def start_pytest(
    arguments: Sequence[str], log: BinaryIO, scratch: Path, descriptors: Sequence[int] = ()
) -> subprocess.Popen[bytes]:
    """Start ``python -m pytest`` in a session of its own; what it prints goes to ``log``.

    Its temporary folders and its cache are in ``scratch``: pytest clears up behind a session that ends, which a trial
    does not, and the suite's own cache is the suite's.
    """
    environment = {**os.environ, **FORKABLE_ENVIRONMENT, "PYTHONUNBUFFERED": "1", PARENT: str(os.getpid())}
    places = ["-o", f"cache_dir={scratch / CACHE}", f"--basetemp={scratch / 'tmp'}"]
    command = [sys.executable, "-m", "pytest", "-p", _plugin(), *places, *arguments]
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=subprocess.STDOUT,
        env=environment,
        pass_fds=tuple(descriptors),
        start_new_session=True,
    )


def _plugin() -> str:
    """Our plugin, also where plugins are not loaded by themselves, or where the bot runs from a folder."""
    installed = metadata.entry_points(group="pytest11", name="triage-bot")
    return "triage-bot" if installed else "triage_bot.pytest_plugin"


def die_with(parent: int) -> None:
    """Ask the kernel to end this process when ``parent`` ends: a bot that is killed leaves nothing on the device."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before it could be asked
        os._exit(70)


def end_group(group: int) -> None:
    """Kill every process of the group; nothing happens when it is gone."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def ending(status: int) -> str:
    """An exit status in words; negative for a signal."""
    return f"signal {_SIGNALS.get(-status, -status)}" if status < 0 else f"exit code {status}"


_SIGNALS = {number.value: number.name for number in signal.Signals}
"""Real-time signals have no name."""
