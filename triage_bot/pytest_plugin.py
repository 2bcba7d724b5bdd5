"""The pytest plugin: hooks only. Loads without click, PyGithub and torch, and does nothing until triage asks.

In a session that triage started, ``--triage-serve`` makes pytest collect once and run ordered trials in forked
children; ``--triage-trial`` makes it run one ordered trial itself.
"""

from __future__ import annotations

import json
import os
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from triage_bot.lab.runtime import StreamRuntime


class HookSpecs:
    """What a suite may answer."""

    @pytest.hookspec(firstresult=True)
    def pytest_triage_stream_runtime(self, config: pytest.Config) -> StreamRuntime | None:
        """The runtime of this suite's streams; None to leave the question to the next plugin."""


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Register the hook that a suite may answer."""
    pluginmanager.add_hookspecs(HookSpecs)


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Register the options with which triage starts a session."""
    if pluginmanager.is_blocked("cacheprovider"):  # triage places it, and pytest may refuse the unknown
        parser.addini("cache_dir", "not used: the cache is off")
    group = parser.getgroup("triage-bot")
    group.addoption("--triage-serve", type=int, help="collect, then run ordered trials in forks (used by triage-bot)")
    group.addoption("--triage-trial", type=Path, help="run the one trial ordered in this file (used by triage-bot)")
    group.addoption(
        "--triage-runtime",
        choices=("auto", "cuda", "emulated"),
        default="auto",
        help="which device the suite's streams run on, for suites that have a choice",
    )


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None, object, object]:
    """Put aside, in a session of the lab, what would act before anything is configured."""
    if _ordered(early_config.known_args_namespace):
        from triage_bot.lab import processes, unattended  # noqa: PLC0415  # the plugin loads in every pytest session

        processes.die_with(int(os.environ[processes.PARENT]))
        unattended.before_conftests(early_config)
    return (yield)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, so that suites can use it under ``--strict-markers``; make a session of the lab one."""
    config.addinivalue_line("markers", "stream: the test orders work on device streams; triage probes it")
    if _ordered(config.option):
        from triage_bot.lab import unattended  # noqa: PLC0415  # as above

        unattended.configure(config)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Instead of running the suite, do what triage ordered."""
    if not _ordered(session.config.option):
        return None
    from triage_bot.lab import trial, unattended, zygote  # noqa: PLC0415  # the plugin loads in every pytest session
    from triage_bot.lab.records import Order  # noqa: PLC0415  # as above

    unattended.collected(session.config)
    if (descriptor := session.config.getoption("triage_serve")) is not None:
        zygote.serve(session, descriptor)
    order = session.config.getoption("triage_trial").read_text(encoding="utf-8")
    trial.run(session, Order.decode(json.loads(order)))


@pytest.hookimpl(trylast=True)
def pytest_triage_stream_runtime(config: pytest.Config) -> StreamRuntime | None:
    """CUDA through torch, for a suite that uses torch on a machine with a device."""
    from triage_bot.lab import torch_runtime  # noqa: PLC0415  # the plugin loads in every pytest session

    if config.getoption("triage_runtime") == "emulated" or not torch_runtime.available():
        return None
    return torch_runtime.create()


def _ordered(options: object) -> bool:
    """Whether the bot started this session."""
    return any(getattr(options, name) is not None for name in ("triage_serve", "triage_trial"))
