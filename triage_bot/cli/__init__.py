"""The command line: options to adapters, a workflow, an exit code. One command a file, loaded when it is called."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import click

import triage_bot
from triage_bot.adapters.config import defaults

COMMANDS = {
    "inspect": "What the reports say. Reruns nothing, needs no network.",
    "rerun": "Run the experiment on failing tests: cause, proof, triage.json.",
    "publish": "Write the result where people look: comment, labels, check run.",
    "respond": "Do what a maintainer's comment asks for.",
    "review": "Review the pull request with the fixes that were tried.",
    "doctor": "What this machine can do.",
}


class _LazyGroup(click.Group):
    """Imports a command's module only when that command is called: ``inspect`` must not pay for the code host."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"triage_bot.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=_LazyGroup)
@click.version_option(triage_bot.__version__, prog_name="triage-bot")
@click.pass_context
def main(context: click.Context) -> None:
    """From a red GPU check to its cause, the proof, and a fix that was tried.

    Defaults for the options are read from [tool.triage-bot] in pyproject.toml.
    """
    context.default_map = defaults(Path.cwd())
