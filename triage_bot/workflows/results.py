"""Finding the results that speak for a pull request: of a run just finished, or of the one our comment names."""

from __future__ import annotations

from collections.abc import Sequence

from triage_bot.core.believed import Disbelieved, OfCommit, OfFork, OfPull, believe, target
from triage_bot.core.findings import Counts, Environment, Problem, Source, Triage
from triage_bot.core.host import Pull, Run
from triage_bot.core.marker import Marker
from triage_bot.core.overlay import chain, overlay, partial
from triage_bot.core.publication import ours
from triage_bot.workflows.office import Office


def pulls_of(office: Office, claim: OfCommit | OfPull | OfFork) -> Sequence[Pull]:
    """The pull requests among which the one is that a claim is about."""
    if isinstance(claim, OfPull):
        pull = office.forge.pull(claim.number)
        return [pull] if pull else []
    if isinstance(claim, OfFork):
        return office.forge.pulls_of_branch(claim.repository, claim.branch) if claim.repository else []
    return office.forge.pulls_of_commit(claim.sha)


def without_result(run: Run) -> tuple[Triage, ...]:
    """What is known of a run that left no result: nothing if it passed, else that it did not finish."""
    if run.conclusion in ("success", ""):
        return ()
    problem = Problem("no-result", f"the run ended as {run.conclusion} and left no triage.json")
    return (Triage(Source(), Environment(), Counts(), False, (problem,), ()),)


def earlier_run(office: Office, pull: Pull, run_id: int) -> Run | None:
    """A run that our comment names, if it still is to be believed for this pull request at its present head."""
    run = office.forge.run(run_id)
    claim = believe(run, office.home) if run else Disbelieved("there is no such run")
    if run is None or isinstance(claim, (Disbelieved, OfFork)):
        return None
    about = target(claim, office.home.repository, [pull])
    return run if isinstance(about, Pull) else None


def last_result(office: Office, pull: Pull) -> tuple[Run, Sequence[Triage], Sequence[Triage]] | None:
    """The run whose result our comment shows, its own findings, and those of the whole head; None without one."""
    mine = ours(office.forge.comments(pull.number), office.home.author)
    shown = Marker.parse(mine[0].body) if mine else None
    if shown is None or shown.sha != pull.head_sha or not shown.run_id:
        return None
    run = earlier_run(office, pull, shown.run_id)
    if run is None:
        return None
    triages = tuple(office.forge.triages(run.id)) or without_result(run)
    return run, triages, completed(office, pull, triages, shown, shown)[0]


def completed(
    office: Office, pull: Pull, triages: Sequence[Triage], marker: Marker, shown: Marker | None
) -> tuple[Sequence[Triage], Marker]:
    """A result with the earlier ones on this head that it only adds to, and the marker that says so.

    A run that tried one test again must not make the failures of the others disappear.
    """
    if shown is None or shown.sha != marker.sha or not shown.run_id or not partial(triages):
        return triages, marker
    runs = shown.after if shown.run_id == marker.run_id else chain(shown)
    base: Sequence[Triage] = ()
    for run_id in runs:
        if earlier_run(office, pull, run_id) is not None:
            found = office.forge.triages(run_id)
            base = overlay(base, found) if base else found
    if not base:
        return triages, marker
    return overlay(base, triages), Marker(marker.sha, marker.run_id, marker.attempt, marker.since, runs)
