"""``triage-bot respond``: do what a maintainer's comment asks for."""

from __future__ import annotations

import os

import click

from triage_bot.adapters import github_event
from triage_bot.adapters.actions import Actions
from triage_bot.cli._host import Asked, finish, host_options, office
from triage_bot.errors import UsageError
from triage_bot.workflows.respond import respond


@click.command()
@host_options
def command(asked: Asked) -> int:
    """Do what a comment asks for, if its author may write to the repository.

    Reads an issue_comment event. `/triage help` in a comment lists what can be asked.
    """
    actions = Actions.read(os.environ)
    if actions.event_name != "issue_comment":
        raise UsageError(
            f"an event {actions.event_name or 'without a name'!r} holds no comment",
            "Call it on issue_comment: `on:` in the workflow file.",
        )
    desk = office(actions, asked)
    said = respond(desk, github_event.spoken(actions.event))
    return finish(actions, desk, said)
