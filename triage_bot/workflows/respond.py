"""Doing what a maintainer's comment asks for. Who asks is checked before anything is touched."""

from __future__ import annotations

from triage_bot.core.commands import (
    Accept,
    Command,
    Help,
    Ignored,
    Refused,
    Rerun,
    Review,
    match_test,
    parse,
)
from triage_bot.core.host import Pull, Spoken
from triage_bot.core.publication import CreateComment, React, Reaction
from triage_bot.core.replies import refusal, usage
from triage_bot.core.rerun_request import dispatch
from triage_bot.errors import TriageError
from triage_bot.workflows.office import Office
from triage_bot.workflows.publish import Parts, publish
from triage_bot.workflows.results import last_result
from triage_bot.workflows.review import review_pull

NO_RESULT = Refused("there is no result on this head yet; `/triage rerun` makes one")


def respond(office: Office, spoken: Spoken, parts: Parts | None = None) -> str:
    """Do what the comment asks for, or say why not; one line for the log."""
    heard = _heard(office, spoken)
    if isinstance(heard, Ignored):
        return f"Ignored: {heard.reason}."
    number, command = heard
    office.write([React(spoken.comment.id, Reaction.SEEN)])
    try:
        done = command if isinstance(command, Refused) else _do(office, number, command, parts)
    except TriageError:
        office.write([React(spoken.comment.id, Reaction.REFUSED)])
        raise
    if isinstance(done, Refused):
        text = refusal(spoken.comment.author, done.reason, spoken.comment.body.splitlines()[0])
        office.write([CreateComment(number, text), React(spoken.comment.id, Reaction.REFUSED)])
        return f"Refused: {done.reason}."
    office.write([React(spoken.comment.id, Reaction.REFUSED if office.refused else Reaction.DONE)])
    return done


def _heard(office: Office, spoken: Spoken) -> tuple[int, Command | Refused] | Ignored:
    command = parse(spoken.comment.body)
    if isinstance(command, Ignored):
        return command
    if spoken.action != "created" or spoken.comment.edited:
        return Ignored("an edited comment is no command")
    if spoken.pull is None:
        return Ignored("it is not on a pull request")
    if spoken.comment.by_bot:
        return Ignored("bots do not command")
    if not office.forge.may_write(spoken.comment.author):
        return Ignored(f"{spoken.comment.author!r} may not write to this repository")
    return spoken.pull, command


def _do(office: Office, number: int, command: Command, parts: Parts | None) -> str | Refused:
    if isinstance(command, Help):
        office.write([CreateComment(number, usage())])
        return "The commands are listed."
    pull = office.forge.pull(number)
    if pull is None:
        return Refused("there is no such pull request")
    if isinstance(command, Rerun):
        return _rerun(office, pull, command)
    return _on_result(office, pull, command, parts)


def _on_result(office: Office, pull: Pull, command: Review | Accept, parts: Parts | None) -> str | Refused:
    last = last_result(office, pull)
    if last is None:
        return NO_RESULT
    run, triages, whole = last
    if isinstance(command, Review):
        return review_pull(office, pull, whole)
    test = match_test(command.test, {finding.test for triage in whole for finding in triage.findings})
    if isinstance(test, Refused):
        return test
    return publish(office, run, lambda: triages, parts).said


def _rerun(office: Office, pull: Pull, command: Rerun) -> str | Refused:
    known = None
    last = last_result(office, pull) if command.test is not None else None
    if last is not None:
        known = {finding.test for triage in last[2] for finding in triage.findings}
    planned = dispatch(command, pull, office.home, known)
    if isinstance(planned, Refused):
        return planned
    office.write([planned])
    if office.refused:
        return Refused(f"the bot may not start {planned.workflow}: {office.refused[-1].advice}")
    return f"{planned.workflow} is started for #{pull.number} at {pull.head_sha}."
