"""Options and dealings that the commands for the code host share."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from triage_bot.adapters import artifact, github, github_event, plan_text
from triage_bot.adapters.actions import Actions, harmless
from triage_bot.adapters.patience import Patience
from triage_bot.cli.options import Duration
from triage_bot.core.findings import Triage
from triage_bot.errors import ExitCode, UsageError
from triage_bot.workflows.office import Office

_OPTIONS = [
    click.option("--dry-run", is_flag=True, help="Print what would be written, and write nothing."),
    click.option("--workflow", default="gpu-race.yml", show_default=True, help="File name of the race workflow."),
    click.option("--author", default="github-actions[bot]", show_default=True, help="Login that the token writes as."),
    click.option(
        "--between-writes",
        type=Duration(zero=True),
        default="0",
        envvar="TRIAGE_BOT_BETWEEN_WRITES",
        help="Time from one write to the next.",
    ),
    click.option(
        "--pause",
        type=Duration(zero=True),
        default="60s",
        show_default=True,
        envvar="TRIAGE_BOT_PAUSE",
        help="How long to wait when GitHub says 'slow down' and not for how long.",
    ),
]


@dataclass(frozen=True)
class Asked:
    """What the shared options came to."""

    dry_run: bool
    workflow: str
    author: str
    between_writes: float
    pause: float


def host_options(command: Callable[..., int]) -> Callable[..., int]:
    """Adds the shared options; the command gets them as one ``Asked``."""

    def gathered(**given: Any) -> int:
        shared = {name: given.pop(name) for name in Asked.__dataclass_fields__}
        return command(asked=Asked(**shared), **given)

    gathered.__name__, gathered.__doc__ = command.__name__, command.__doc__
    gathered.__click_params__ = getattr(command, "__click_params__", [])  # type: ignore[attr-defined] # click's own
    for option in reversed(_OPTIONS):
        gathered = option(gathered)
    return gathered


def office(actions: Actions, asked: Asked) -> Office:
    """The code host, with the token of the environment, which goes no further than its client."""
    token = os.environ.get("GITHUB_TOKEN", "")
    if not token:
        raise UsageError("GITHUB_TOKEN is not set", "Give the step `env: GITHUB_TOKEN: ${{ github.token }}`.")
    home = github_event.home(actions.event, workflow=asked.workflow, author=asked.author, url=actions.site)
    patience = Patience(pause=asked.pause)
    forge = github.connect(actions.api, token, home.repository, patience, asked.between_writes)
    return Office(forge, home, asked.dry_run)


def results(office: Office, run_id: int, files: Sequence[Path]) -> Callable[[], Sequence[Triage]]:
    """How the results are loaded: from the files that were named, else from the run's artifact."""
    if files:
        return lambda: [triage for path in files for triage in artifact.load(path)]
    return lambda: office.forge.triages(run_id)


def finish(actions: Actions, office: Office, said: str) -> int:
    """Log what was done, or would be; the exit code."""
    verb = "would " if office.dry_run else ""
    lines = [said, *(f"  {verb}{plan_text.line(write)}" for write in office.writes)]
    click.echo(harmless("\n".join(lines)))
    if not office.refused:
        return ExitCode.DONE
    notes = list(dict.fromkeys(f"- {refusal}. {refusal.advice}" for refusal in office.refused))
    actions.summarize("\n".join(["", "**Not everything could be written on the pull request:**", "", *notes]))
    click.echo(harmless("\n".join(notes)), err=True)
    return ExitCode.CODE_HOST_REFUSED
