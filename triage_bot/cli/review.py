"""``triage-bot review``: a pull-request review with the fixes that were tried."""

from __future__ import annotations

import os
from pathlib import Path

import click

from triage_bot.adapters import github_event
from triage_bot.adapters.actions import Actions, harmless
from triage_bot.cli._host import Asked, finish, host_options, office, results
from triage_bot.core.publication import CreateReview
from triage_bot.core.review import suggestion_body
from triage_bot.workflows.review import review_run


@click.command()
@click.argument("files", nargs=-1, metavar="[TRIAGE_JSON]...", type=click.Path(path_type=Path, dir_okay=False))
@host_options
def command(files: tuple[Path, ...], asked: Asked) -> int:
    """Review the pull request of a run: what was found, and each tried fix as a suggestion where its lines are shown.

    Whose result it is comes from the event alone. Without files, the artifact of the run that ended is read.
    """
    actions = Actions.read(os.environ)
    desk = office(actions, asked)
    run = github_event.finished_run(actions.event_name, actions.event, actions.job)
    said = review_run(desk, run, results(desk, run.id, files))
    for write in desk.writes:
        if asked.dry_run and isinstance(write, CreateReview):
            texts = [write.body, *(f"{it.path}:{it.end}\n{suggestion_body(it)}" for it in write.suggestions)]
            click.echo(harmless("\n".join(texts)))
    return finish(actions, desk, said)
