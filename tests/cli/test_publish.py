from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.samples import LEAK, triage
from triage_bot.adapters import wire
from triage_bot.cli.publish import command as publish
from triage_bot.cli.respond import command as respond
from triage_bot.core.report import comment
from triage_bot.errors import UsageError


def test_a_dry_run_outside_of_actions_shows_the_comment(tmp_path: Path) -> None:
    path = tmp_path / "triage.json"
    path.write_bytes(wire.write(triage(LEAK)))
    done = CliRunner().invoke(publish, ["--dry-run", str(path)], env={"GITHUB_EVENT_PATH": ""}, standalone_mode=False)
    assert done.output == comment(triage(LEAK))


def test_no_test_name_gives_the_runner_a_command(tmp_path: Path) -> None:
    path = tmp_path / "triage.json"
    bad = replace(LEAK, test="x\n::error::pwned", why="\n::error::pwned", remedy=None)
    path.write_bytes(wire.write(triage(bad)))
    done = CliRunner().invoke(publish, ["--dry-run", str(path)], env={"GITHUB_EVENT_PATH": ""}, standalone_mode=False)
    assert not any(line.strip().startswith("::") for line in done.output.splitlines())


@pytest.mark.parametrize("command", [publish, respond])
def test_without_an_event_or_a_token_the_command_says_so(tmp_path: Path, command: object) -> None:
    for environ in ({"GITHUB_EVENT_PATH": ""}, {"GITHUB_EVENT_PATH": str(tmp_path / "event.json"), "GITHUB_TOKEN": ""}):
        (tmp_path / "event.json").write_text('{"repository": {"full_name": "o/r"}}')
        whole = {"GITHUB_EVENT_NAME": "issue_comment", **environ}
        done = CliRunner().invoke(command, [], env=whole, standalone_mode=False)  # type: ignore[arg-type] # a command
        assert isinstance(done.exception, UsageError)
        assert done.exception.advice


@pytest.mark.parametrize("option", ["--pause", "--between-writes"])
@pytest.mark.parametrize("value", ["-1", "nan", "1001h", "soon"])
def test_a_wait_that_is_none_is_refused(option: str, value: str) -> None:
    done = CliRunner().invoke(publish, ["--dry-run", option, value], env={"GITHUB_EVENT_PATH": ""})
    assert done.exit_code == 2
    assert f"'{value}' is" in done.output
