"""A working folder with a small suite, and the command to run there."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.cli.driving import SUITE, Done, suite, triage_bot


@pytest.fixture
def bot(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Callable[..., Done]:
    """Runs ``triage-bot`` in ``tmp_path``."""
    monkeypatch.chdir(tmp_path)
    return partial(triage_bot, monkeypatch=monkeypatch, capsys=capsys)


@pytest.fixture
def rerun(bot: Callable[..., Done], tmp_path: Path) -> Callable[..., Done]:
    """Runs ``triage-bot rerun`` on a suite of four tests, with as few trials as prove something."""
    suite(tmp_path, test_it=SUITE)
    return partial(bot, "rerun", "--suite", "suite", "-n", "5")
