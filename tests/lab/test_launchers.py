from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.lab.fake_device import FakeRuntime
from triage_bot.lab.launchers import Launcher, Launchers
from triage_bot.lab.suite import SuiteFiles

HERE = Path(__file__)


@pytest.fixture
def launchers() -> Launchers:
    return Launchers(FakeRuntime(), SuiteFiles(HERE.parent, {HERE}))


def through(file: str, launch: Callable[[], Launcher]) -> Launcher:
    """Call `launch` from a function of `file`."""
    names: dict[str, Callable[[Callable[[], Launcher]], Launcher]] = {}
    exec(compile("def call(launch):\n    return launch()\n", file, "exec"), names)
    return names["call"](launch)


def test_what_the_test_launches_itself_is_its_own(launchers: Launchers) -> None:
    assert launchers.nearest() is Launcher.SUITE


def test_what_the_code_under_test_launches_for_the_test_is_not_the_tests(launchers: Launchers) -> None:
    assert through("/srv/product/engine.py", launchers.nearest) is Launcher.PRODUCT


@pytest.mark.parametrize("file", ["<string>", json.__file__])
def test_generated_code_and_the_standard_library_speak_for_their_caller(launchers: Launchers, file: str) -> None:
    assert through(file, launchers.nearest) is Launcher.SUITE


def test_a_thread_of_the_standard_library_alone_speaks_for_nobody(launchers: Launchers) -> None:
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(launchers.nearest).result() is Launcher.NOBODY
