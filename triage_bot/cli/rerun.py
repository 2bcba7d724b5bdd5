"""``triage-bot rerun``."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from triage_bot.adapters import html, outputs, terminal_rerun, wire
from triage_bot.adapters.job import source
from triage_bot.adapters.junit.reading import read_reports
from triage_bot.adapters.junit.writing import write_report
from triage_bot.adapters.plain import plain
from triage_bot.cli.options import Duration
from triage_bot.core.evidence import FIRST_LOOK
from triage_bot.core.findings import Triage, VerdictName
from triage_bot.core.reports import Report
from triage_bot.core.trials import Trial
from triage_bot.errors import ExitCode, LabError, UsageError
from triage_bot.lab import bundled
from triage_bot.lab.journal import Journal
from triage_bot.lab.pytest_lab import PytestLab
from triage_bot.workflows.rerun import Request, Rerun, rerun, without_trials
from triage_bot.workflows.triage import Policy

FOLDER = Path(".triage")
"""Journal, logs and orders of a run, in the working folder."""


class _Watcher:
    """The journal first: what is shown is already on disk."""

    def __init__(self, journal: Journal, progress: terminal_rerun.Progress) -> None:
        self._journal = journal
        self.starting = progress.starting
        self._show = progress.observed

    def observed(self, test: str, trial: Trial) -> None:
        self._journal.add(test, trial)
        self._show(test, trial)


class _Monotonic:
    def seconds(self) -> float:
        return time.monotonic()


@click.command("rerun")
@click.option("--test", "tests", multiple=True, metavar="NAME", help="A node id, or a part that only one test has.")
@click.option("--junit", "reports", multiple=True, metavar="REPORT", help="Triage what failed in this report.")
@click.option("-n", "--reruns", type=click.IntRange(1), default=20, show_default=True, help="Trials an arm at most.")
@click.option("--suite", multiple=True, metavar="PATH", help="The suite; without it the bundled race suite.")
@click.option("--runtime", type=click.Choice(["auto", "cuda", "emulated"]), default="auto", show_default=True)
@click.option("--budget", type=Duration(), default="10m", show_default=True, help="Time for the whole run.")
@click.option("--timeout", type=Duration(), default="2m", show_default=True, help="Time after which a trial is ended.")
@click.option("--stream-tests", multiple=True, metavar="GLOB", help="Probe these tests, whatever they show.")
@click.option("--max-failures", type=click.IntRange(1), default=50, show_default=True, help="More are one event.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), default=Path("triage.json"), show_default=True)
@click.option("--junit-out", type=click.Path(dir_okay=False, path_type=Path), help="Write one merged JUnit report.")
@click.option("--html", "page", type=click.Path(dir_okay=False, path_type=Path), help="Write a page for a person.")
@click.option("--resume", is_flag=True, help="Go on where an interrupted run stopped.")
@click.option(
    "--fail-on", multiple=True, metavar="VERDICT", help="Exit with 10 when a test gets this verdict (a,b or repeated)."
)
@click.argument("pytest_arguments", nargs=-1, metavar="[-- PYTEST_ARGUMENT…]")
def command(**options: Any) -> int:
    """The experiment: find out why tests fail, and prove it.

    Each trial runs in a process of its own. What follows -- goes to pytest.
    """
    if not options["tests"] and not options["reports"]:
        raise UsageError("there is nothing to rerun", "name a test with --test, or a report with --junit")
    fail_on = _verdicts(options["fail_on"])
    outputs.reserve([path for path in (options["out"], options["junit_out"], options["page"]) if path is not None])
    reports = read_reports(options["reports"]) if options["reports"] else ()
    request = Request(options["tests"], reports, options["max_failures"], source(os.environ))
    with terminal_rerun.Progress() as progress:
        done = without_trials(request) or _experiment(request, options, progress)
    _write(done.triage, reports, options)
    click.echo(terminal_rerun.summary(done.triage, done.clean, progress.elapsed()))
    click.echo(f"\nwritten: {plain(str(options['out']))}")
    if isinstance(done.stopped, KeyboardInterrupt):
        progress.say(_GO_ON)
    if done.stopped is not None:
        raise done.stopped
    bad = any(finding.verdict in fail_on and not finding.latent for finding in done.triage.findings)
    return ExitCode.VERDICT_FAILED if bad else ExitCode.DONE


def _experiment(request: Request, options: Mapping[str, Any], progress: terminal_rerun.Progress) -> Rerun:
    arguments = [*_suite(options["suite"]), f"--triage-runtime={options['runtime']}", *options["pytest_arguments"]]
    conditions = _conditions(request, arguments, options["timeout"])
    policy = Policy(options["reruns"], options["budget"], tuple(options["stream_tests"]))
    with Journal(FOLDER / "journal.jsonl", conditions, resume=options["resume"]) as journal:
        if policy.cap < FIRST_LOOK:
            progress.say(f"-n {policy.cap}: fewer than {FIRST_LOOK} compared trials an arm can confirm nothing")
        progress.say("collecting the suite")
        # A second's import that the first comparison needs: paid while pytest collects in its own process.
        threading.Thread(target=import_module, args=("scipy.stats",), daemon=True).start()
        try:
            with PytestLab(arguments, FOLDER.resolve(), options["timeout"]) as lab:
                return rerun(request, lab, _Monotonic(), policy, _Watcher(journal, progress), prior=journal.by_test())
        except KeyboardInterrupt:
            progress.say(_GO_ON)
            raise


_GO_ON = "interrupted; the same command with --resume goes on from here"


def _verdicts(words: tuple[str, ...]) -> frozenset[VerdictName]:
    names = [name.strip() for word in words for name in word.split(",") if name.strip()]
    known = {verdict.value for verdict in VerdictName}
    for name in names:
        if name not in known:
            raise UsageError(f"--fail-on: {name!r} is no verdict", f"the verdicts are {', '.join(sorted(known))}")
    return frozenset(VerdictName(name) for name in names)


def _suite(paths: tuple[str, ...]) -> list[str]:
    for path in paths:
        if not path:
            raise UsageError("--suite is empty", "give a file or folder that pytest can collect")
        if not Path(path.partition("::")[0]).exists():
            raise UsageError(f"--suite: there is no {path}", "give a file or folder that pytest can collect")
    if paths:
        return list(paths)
    if (place := bundled.suite()) is None:
        raise LabError("the bundled race suite is not installed", "name your suite with --suite")
    return [str(place)]


def _conditions(request: Request, arguments: list[str], timeout: float) -> dict[str, Any]:
    """What must be the same for trials to be evidence of one experiment."""
    failing = repr([(report.path, report.counts, report.failing) for report in request.reports])
    return {
        "pytest": arguments,
        "tests": list(request.names),
        "reports": [report.path for report in request.reports],
        "failures": hashlib.sha256(failing.encode("utf-8", "replace")).hexdigest()[:12],
        "timeout": timeout,
        "commit": request.source.sha,
    }


def _write(triage: Triage, reports: Sequence[Report], options: Mapping[str, Any]) -> None:
    outputs.write(options["out"], wire.write(triage))
    if (junit := options["junit_out"]) is not None:
        with outputs.written(junit):
            write_report(junit, reports, triage)
    if (page := options["page"]) is not None:
        outputs.write(page, html.page(triage))
