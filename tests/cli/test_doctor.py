"""The command as a user calls it."""

from __future__ import annotations

from click.testing import CliRunner

from triage_bot.cli.doctor import command


def test_doctor_answers_on_any_machine() -> None:
    result = CliRunner().invoke(command)
    assert result.exit_code == 0
    assert [line.split()[1] for line in result.output.splitlines()][:2] == ["python", "torch"]
