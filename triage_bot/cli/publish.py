"""``triage-bot publish``: the result of a run, on its pull request."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click

from triage_bot.adapters import artifact, github_event
from triage_bot.adapters.actions import Actions, harmless
from triage_bot.cli._host import Asked, finish, host_options, office, results
from triage_bot.core.report import comment as comment_on
from triage_bot.core.reports import add_up
from triage_bot.errors import CodeHostError, ExitCode
from triage_bot.workflows.office import Office
from triage_bot.workflows.publish import Parts, Published, publish, unpublished


@click.command()
@click.argument("files", nargs=-1, metavar="[TRIAGE_JSON]...", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--comment/--no-comment", default=True, help="Write the comment.")
@click.option("--labels/--no-labels", default=True, help="Set labels.")
@click.option("--check/--no-check", default=True, help="Create the check run.")
@host_options
def command(files: tuple[Path, ...], comment: bool, labels: bool, check: bool, asked: Asked) -> int:
    """Write the result of a run on its pull request: comment, labels, check run, step summary.

    Whose result it is comes from the event alone. Without files, the artifact of the run that ended is read. A dry run
    outside of Actions shows the comment.
    """
    if asked.dry_run and files and not os.environ.get("GITHUB_EVENT_PATH"):
        click.echo(harmless(comment_on(*(triage for path in files for triage in artifact.load(path)))), nl=False)
        return ExitCode.DONE
    actions = Actions.read(os.environ)
    desk = office(actions, asked)
    run = github_event.finished_run(actions.event_name, actions.event, actions.job)
    load = results(desk, run.id, files)
    try:
        done = publish(desk, run, load, Parts(comment, labels, check))
    except CodeHostError as refusal:
        actions.summarize(f"**Not published:** {refusal}. {refusal.advice}\n\n{unpublished(desk, run, load)}")
        raise
    if done.body:
        actions.summarize(done.body.partition("\n")[2] if done.body.startswith("<!--") else done.body)
    actions.put(_outputs(desk, done))
    if asked.dry_run and done.body:
        click.echo(harmless(done.body))
    return finish(actions, desk, done.said)


def _outputs(desk: Office, done: Published) -> dict[str, str]:
    """What later steps may ask for."""
    total = add_up([triage.summary for triage in done.triages])
    found = [finding for triage in done.triages for finding in triage.findings]
    verdicts = [
        {"test": finding.test, "verdict": finding.verdict.value, "grade": finding.grade.value} for finding in found
    ]
    return {
        "conclusion": done.conclusion.value if done.conclusion else "",
        "comment-url": desk.url,
        "tests": str(total.tests),
        "failed": str(total.failed + total.errored),
        "findings": str(len(found)),
        "json": json.dumps({"summary": vars(total), "findings": verdicts}),
    }
