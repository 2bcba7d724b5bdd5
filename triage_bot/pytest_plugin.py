"""The pytest plugin: hooks only. Loads without click, PyGithub and torch."""

from __future__ import annotations

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


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, so that suites can use it under ``--strict-markers``."""
    config.addinivalue_line("markers", "stream: the test orders work on device streams; triage probes it")
