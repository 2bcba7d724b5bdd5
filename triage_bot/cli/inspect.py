"""``triage-bot inspect``."""

from __future__ import annotations

import click

from triage_bot.adapters import inspect_wire, terminal_inspect
from triage_bot.adapters.junit.reading import read_reports
from triage_bot.workflows.inspect import inspect


@click.command("inspect")
@click.argument("reports", nargs=-1, required=True, metavar="REPORT…")
@click.option("--json", "as_json", is_flag=True, help="Print triage-bot/inspect-v1 and nothing else.")
def command(reports: tuple[str, ...], as_json: bool) -> None:
    """What the reports say: counts, failures, attempts, problems.

    REPORT is a JUnit file, a folder, a glob or a zip artifact. Nothing is rerun.
    """
    render = inspect_wire.dump if as_json else terminal_inspect.render
    inspect(reports, read_reports, lambda found: click.echo(render(found)))
