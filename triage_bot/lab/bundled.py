"""The race suite that comes with the bot, known by its place and its command line only."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

from triage_bot.core.machine import SuiteWindow

_SECONDS = 120.0
"""Importing torch and starting a device takes seconds; a device that hangs must not hang whoever asks."""


def suite() -> Path | None:
    """Where the suite is; None when it is not installed."""
    found = importlib.util.find_spec("kvrace_tests")
    return Path(found.submodule_search_locations[0]) if found and found.submodule_search_locations else None


def window() -> SuiteWindow | None:
    """How long the suite holds its races open here, measured by itself in a process of its own; None without it."""
    place = suite()
    if place is None:
        return None
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(place), "--kvrace-window"]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        return SuiteWindow(False, f"the race suite did not start within {_SECONDS:g} s: a device may hang")
    lines = (ran.stderr if ran.returncode else ran.stdout).strip().splitlines()
    told = lines[-1] if lines else f"pytest ended with {ran.returncode}"
    return SuiteWindow(True, told) if not ran.returncode else SuiteWindow(False, f"the race suite does not run: {told}")
