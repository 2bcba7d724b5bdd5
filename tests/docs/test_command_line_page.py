"""The page of the command line lists what there is: commands, options, exit codes, configuration."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from tests.docs import pages
from tests.docs.pages import ROOT, first_cells
from triage_bot.adapters.config import KEYS, defaults
from triage_bot.cli import COMMANDS, main
from triage_bot.errors import ExitCode

PAGE = ROOT / "docs" / "command-line.md"


def command(name: str) -> click.Command:
    found = main.get_command(click.Context(main), name)
    assert found is not None
    return found


def options_of(*commands: str) -> set[str]:
    parameters = [parameter for name in commands for parameter in command(name).params]
    options = [parameter for parameter in parameters if isinstance(parameter, click.Option)]
    return {name for option in options for name in [*option.opts, *option.secondary_opts]}


def section(title: str) -> str:
    return pages.section(PAGE, title)


def typed_commands() -> list[str]:
    """Every call of the bot in a code block of a page, but for those that hold a place to fill in."""
    blocks = [block for page in pages.PAGES for block in re.findall(r"^```.*?^```", pages.text(page), re.M | re.S)]
    found = [
        re.match(r"(?:\$ )?(?:\.venv/bin/)?(triage-bot [a-z]+ .*)", line)
        for block in blocks
        for line in block.splitlines()
    ]
    commands = dict.fromkeys(match[1].strip() for match in found if match)
    return [line for line in commands if not re.search(r"…|[A-Z]{4,}", line)]


def test_every_command_is_listed_and_no_other() -> None:
    listed = [cell.strip("`") for cell in first_cells(pages.text(PAGE).split("\n## ")[0])]
    assert listed == list(COMMANDS)


@pytest.mark.parametrize(
    ("title", "commands"),
    [("inspect", ["inspect"]), ("rerun", ["rerun"]), ("publish, respond, review", ["publish", "respond", "review"])],
)
def test_every_option_is_listed_and_no_other(title: str, commands: list[str]) -> None:
    listed = {name for cell in first_cells(section(title)) for name in re.findall(r"`(-[^`]+)`", cell)}
    assert listed == options_of(*commands)


@pytest.mark.parametrize("name", ["reruns", "budget", "timeout", "max_failures", "out", "runtime"])
def test_the_defaults_of_rerun_are_the_ones_in_the_code(name: str) -> None:
    (option,) = [parameter for parameter in command("rerun").params if parameter.name == name]
    (row,) = [line for line in section("rerun").splitlines() if f"`{option.opts[-1]}`" in line.split(" | ")[0]]
    assert row.split("|")[2].strip().strip("`") == str(option.default)


def test_every_exit_code_is_listed_and_no_other() -> None:
    assert [int(cell) for cell in first_cells(section("Exit codes"))] == [int(code) for code in ExitCode]


def test_the_configuration_shown_is_read_and_holds_every_key(tmp_path: Path) -> None:
    (block,) = re.findall(r"```toml\n(.*?)```", pages.text(PAGE), re.DOTALL)
    (tmp_path / "pyproject.toml").write_text(block, encoding="utf-8")
    read = defaults(tmp_path)
    assert {(where, parameter) for where, values in read.items() for parameter in values} == {
        (where, parameter) for _, where, parameter in KEYS.values()
    }


@pytest.mark.parametrize("line", typed_commands())
def test_a_command_that_the_pages_show_is_one_that_the_command_line_takes(line: str) -> None:
    _, name, *arguments = shlex.split(line, comments=True)
    command(name).make_context(name, arguments)
