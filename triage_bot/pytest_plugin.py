"""The pytest plugin: hooks only. Loads without click, PyGithub and torch, and does nothing until triage asks.

In a session that triage started, ``--triage-serve`` makes pytest collect once and run ordered trials in forked
children; ``--triage-trial`` makes it run one ordered trial itself.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from triage_bot.lab.runtime import StreamRuntime

_RERUNNERS = ("rerunfailures", "flaky", "flakefinder", "xdist", "randomly", "random_order")
"""Plugins that would run a trial twice, elsewhere or in another order. Their options still parse; they do not act."""


class HookSpecs:
    """What a suite may answer."""

    @pytest.hookspec(firstresult=True)
    def pytest_triage_stream_runtime(self, config: pytest.Config) -> StreamRuntime | None:
        """The runtime of this suite's streams; None to leave the question to the next plugin."""


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Register the hook that a suite may answer."""
    pluginmanager.add_hookspecs(HookSpecs)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Register the options with which triage starts a session."""
    group = parser.getgroup("triage-bot")
    group.addoption("--triage-serve", type=int, help="collect, then run ordered trials in forks (used by triage-bot)")
    group.addoption("--triage-trial", type=Path, help="run the one trial ordered in this file (used by triage-bot)")
    group.addoption(
        "--triage-runtime",
        choices=("auto", "cuda", "emulated"),
        default="auto",
        help="which device the suite's streams run on, for suites that have a choice",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, so that suites can use it under ``--strict-markers``; keep rerunners out of trials."""
    config.addinivalue_line("markers", "stream: the test orders work on device streams; triage probes it")
    if _ordered(config):
        from triage_bot.lab import processes  # noqa: PLC0415  # the plugin loads in every pytest session: only now

        processes.die_with(int(os.environ[processes.PARENT]))
        for name in _RERUNNERS:
            if (plugin := config.pluginmanager.get_plugin(name)) is not None:
                config.pluginmanager.unregister(plugin)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Instead of running the suite, do what triage ordered."""
    if (descriptor := session.config.getoption("triage_serve")) is not None:
        from triage_bot.lab import zygote  # noqa: PLC0415  # the plugin loads in every pytest session: only now

        zygote.serve(session, descriptor)
        return True
    if (path := session.config.getoption("triage_trial")) is not None:
        from triage_bot.lab import trial  # noqa: PLC0415  # as above
        from triage_bot.lab.records import Order  # noqa: PLC0415  # as above

        trial.run(session, Order.decode(json.loads(path.read_text(encoding="utf-8"))))
    return None


@pytest.hookimpl(trylast=True)
def pytest_triage_stream_runtime(config: pytest.Config) -> StreamRuntime | None:
    """CUDA through torch, for a suite that uses torch on a machine with a device."""
    from triage_bot.lab import torch_runtime  # noqa: PLC0415  # the plugin loads in every pytest session

    if config.getoption("triage_runtime") == "emulated" or not torch_runtime.available():
        return None
    return torch_runtime.create()


def _ordered(config: pytest.Config) -> bool:
    return config.getoption("triage_serve") is not None or config.getoption("triage_trial") is not None
