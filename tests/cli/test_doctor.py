"""The command as a user calls it."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from triage_bot.cli.doctor import command


def test_doctor_answers_on_any_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    result = CliRunner().invoke(command)
    assert result.exit_code == 0
    words = [line.split() for line in result.output.splitlines()]
    assert [word[1] for word in words][:2] == ["python", "torch"]
    assert next(word[2:5] for word in words if word[1] == "suite") == ["emulated:", "window", "20"]


def test_doctor_tells_why_the_race_suite_does_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_ADDOPTS", "--kvrace-runtime cuda")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    result = CliRunner().invoke(command)
    assert result.exit_code == 0
    (line,) = [line for line in result.output.splitlines() if line.split()[1] == "suite"]
    assert line.startswith("note")
    assert "choose --kvrace-runtime emulated" in line
