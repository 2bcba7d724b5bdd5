"""Drives the command line in this process, and tiny suites for it: starting an interpreter costs more than a trial."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from triage_bot import __main__

ROOT = Path(__file__).parents[2]

SUITE = """
import pathlib, pytest

def test_passes():
    pass

def test_passes_too():
    pass

def test_broken():
    assert sum([1, 2]) == 4, "sum is off by 1"

def test_skips():
    pytest.skip("not here")
"""

LEAKY_CONFTEST = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
import pytest
from tests.lab.fake_device import FakeRuntime, FakeStream

DEVICE = FakeRuntime([FakeStream(1, "compute", __file__, 3, "helper")])

def pytest_triage_stream_runtime(config):
    return DEVICE

@pytest.fixture
def device():
    return DEVICE
"""

LEAKY = """
import pytest

def helper(device):
    device.launch(1)
    device.launch(2)
    device.sync(2)

@pytest.mark.stream
def test_leaks(device):
    helper(device)
    assert not device.work, f"raced: {len(device.work)} corrupt"
"""

UNFORKABLE = """
from triage_bot.lab import torch_runtime
torch_runtime.fork_hazard = lambda: "the device is already open"
"""
"""Lines for a ``conftest.py``: what a suite that opens the device at import looks like to the bot."""


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str


def triage_bot(*arguments: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Done:
    """``triage-bot`` with these arguments, in the working folder."""
    monkeypatch.setattr(sys, "argv", ["triage-bot", *arguments])
    before = signal.getsignal(signal.SIGTERM)
    try:
        with pytest.raises(SystemExit) as end:
            __main__.main()
    finally:
        signal.signal(signal.SIGTERM, before)
    said = capsys.readouterr()
    assert "Traceback" not in said.err, said.err
    assert isinstance(end.value.code, int)
    return Done(int(end.value.code), said.out, said.err)


@contextmanager
def started(folder: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """The same in a process of its own, to be ended from outside; at the end it is, whatever the test came to."""
    command = [sys.executable, "-m", "triage_bot", *arguments]
    # A shell starts what runs in its background with interrupts ignored, and a child inherits that.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        process = subprocess.Popen(command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    finally:
        signal.signal(signal.SIGINT, before)
    with process:
        try:
            yield process
        finally:
            process.kill()


def findings(folder: Path) -> list[dict[str, Any]]:
    document: dict[str, Any] = json.loads((folder / "triage.json").read_text())
    found: list[dict[str, Any]] = document["findings"]
    return found


def suite(folder: Path, **files: str) -> None:
    """A suite ``suite`` in ``folder``, its files by their stem."""
    (folder / "suite").mkdir()
    (folder / "suite" / "pytest.ini").write_text("[pytest]\n")
    for name, text in files.items():
        (folder / "suite" / f"{name}.py").write_text(text)


def report(folder: Path, *cases: str, name: str = "report.xml") -> str:
    """A JUnit report with these test cases."""
    (folder / name).write_text(f"<testsuite name='pytest'>{''.join(cases)}</testsuite>")
    return name


def case(name: str, failure: str = "", classname: str = "test_it") -> str:
    """A test case of it; failed when there is a message."""
    inside = f"<failure message='{failure}'>{failure}</failure>" if failure else ""
    return f"<testcase classname='{classname}' name='{name}'>{inside}</testcase>"
