"""Keeps a suite's own settings from what they must not do in a session of the lab.

Options and plugins of a suite stay as they are, for its tests may need them: fixtures, marks, import modes. Only what
would run a trial elsewhere or twice is put aside, what waits for a person, and what writes the reports of a run.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import pytest

from triage_bot.lab.chance import Chance

_OPTIONS: dict[str, Any] = {
    # pytest-xdist, pytest-forked: a trial has a process already
    "numprocesses": None,
    "dist": "no",
    "tx": [],
    "forked": False,
    # nobody is there to type, and a test that is not run tells nothing
    "usepdb": False,
    "trace": False,
    "setuponly": False,
    "setupplan": False,
    # the reports of the run that is being explained
    "xmlpath": None,
    "log_file": os.devnull,
    "report_log": None,
}
"""Options of pytest and of plugins, and what a trial needs them to be."""

_RERUNNERS = ("rerunfailures", "flaky", "flakefinder", "pytest_forked", "pytest-retry")
"""Plugins that run a test themselves: twice, or elsewhere."""

_SHUFFLERS = ("randomly", "random_order")
"""Plugins that change the order of the tests, or draw one seed for all trials."""


class Session:
    """Hooks of a session of the lab."""

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Say what ends a session that was to serve trials: its summary is never written."""
        print(f"{excinfo.typename}: {excinfo.value}", file=sys.stderr)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, exitstatus: int) -> NoReturn:
        """End here: what plugins write now would replace the reports of the suite's own run."""
        if isinstance(refused := sys.exc_info()[1], pytest.UsageError):  # on its way to who would print it
            print(f"ERROR: {refused}", file=sys.stderr)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(exitstatus)


CHANCE = pytest.StashKey[Chance]()
"""Where a session that forks keeps what it knows of its generators."""


def before_conftests(config: pytest.Config) -> None:
    """Before the suite is imported: coverage would begin by erasing what the last run measured."""
    config.stash[CHANCE] = Chance()
    if hasattr(config.known_args_namespace, "cov_source"):
        config.known_args_namespace.cov_source = None


def configure(config: pytest.Config) -> None:
    """Before other plugins act on their options."""
    for name, value in _OPTIONS.items():
        if hasattr(config.option, name):
            setattr(config.option, name, value)
    _unregister(config, _SHUFFLERS)
    config.pluginmanager.register(Session(), "triage-session")


def collected(config: pytest.Config) -> None:
    """Once the suite is collected: marks and fixtures of the plugins that rerun are known by now, and may be needed."""
    _unregister(config, _RERUNNERS)


def _unregister(config: pytest.Config, names: Sequence[str]) -> None:
    for name in names:
        if (plugin := config.pluginmanager.get_plugin(name)) is not None:
            config.pluginmanager.unregister(plugin)
