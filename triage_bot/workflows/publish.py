"""From a finished run to the pull request: believe it or not, render it again, write what changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from triage_bot.core.acceptance import acceptances, voices
from triage_bot.core.believed import Disbelieved, OfFork, believe, target
from triage_bot.core.check import NAME, check_run
from triage_bot.core.findings import Triage
from triage_bot.core.host import Comment, Pull, Run
from triage_bot.core.labels import labels
from triage_bot.core.marker import Marker
from triage_bot.core.publication import (
    CreateComment,
    Wanted,
    comment_writes,
    missing_labels,
    ours,
    overtaken,
    plan,
)
from triage_bot.core.replies import fork_hint
from triage_bot.core.report import Origin, comment
from triage_bot.core.standing import Acceptance, Conclusion, conclusion, worth_telling
from triage_bot.errors import CodeHostError
from triage_bot.workflows.office import Office
from triage_bot.workflows.results import completed, pulls_of, without_result


@dataclass(frozen=True)
class Parts:
    """What of a pull request is written."""

    comment: bool = True
    labels: bool = True
    check: bool = True


@dataclass(frozen=True)
class Published:
    """What came of publishing a run."""

    said: str
    """One line for the log."""
    triages: Sequence[Triage] = ()
    body: str = ""
    """The rendered comment; empty when nothing was rendered."""
    conclusion: Conclusion | None = None


def publish(office: Office, run: Run, load: Callable[[], Sequence[Triage]], parts: Parts | None = None) -> Published:
    """Write what a run found out on its pull request. ``load`` is called only when the run is believed."""
    claim = believe(run, office.home)
    if isinstance(claim, Disbelieved):
        return Published(f"Nothing is published: {claim.reason}.")
    pull = target(claim, office.home.repository, pulls_of(office, claim))
    parts = parts or Parts()
    if isinstance(claim, OfFork):
        return _hint(office, run, pull, parts)
    if run.conclusion in ("cancelled", "skipped"):
        return Published(f"Nothing is published: the run was {run.conclusion}.")
    triages = tuple(load()) or without_result(run)
    if not triages:
        return Published("Nothing is published: the run passed and left no result.")
    if isinstance(pull, Disbelieved):
        said = f"Nothing is written on a pull request: {pull.reason}."
        return Published(said, triages, comment(*triages), conclusion(triages))
    return _publish_on(office, run, pull, triages, parts)


def unpublished(office: Office, run: Run, load: Callable[[], Sequence[Triage]]) -> str:
    """The comment of a believed run for a place other than its pull request; empty when there is none to show."""
    if isinstance(believe(run, office.home), (Disbelieved, OfFork)):
        return ""
    try:
        return comment(*load())
    except CodeHostError:
        return ""


def _hint(office: Office, run: Run, pull: Pull | Disbelieved, parts: Parts) -> Published:
    if isinstance(pull, Disbelieved) or not parts.comment:
        reason = pull.reason if isinstance(pull, Disbelieved) else f"#{pull.number} comes from a fork"
        return Published(f"Nothing is published: {reason}.")
    mine = ours(office.forge.comments(pull.number), office.home.author)
    shown = Marker.parse(mine[0].body) if mine else None
    if shown is not None and shown.sha == pull.head_sha:
        return Published(f"Nothing is published: #{pull.number} comes from a fork, and its comment is up to date.")
    body = fork_hint(pull, office.home, run.finished)
    stale = Wanted(body, create=True, labels=() if parts.labels else None, check=None)
    _write(office, pull, stale, mine)
    return Published(f"#{pull.number} comes from a fork: its authors were told that nothing ran.", body=body)


def _publish_on(office: Office, run: Run, pull: Pull, triages: Sequence[Triage], parts: Parts) -> Published:
    comments = office.forge.comments(pull.number)
    mine = ours(comments, office.home.author)
    shown = Marker.parse(mine[0].body) if mine else None
    since = shown.since if shown and shown.sha == pull.head_sha else run.finished
    marker = Marker(pull.head_sha, run.id, run.attempt, since)
    if overtaken(mine, marker):
        return Published(f"Nothing is published: a later run has already spoken on #{pull.number}.", triages)
    triages, marker = completed(office, pull, triages, marker, shown)
    accepted = _accepted(office, comments, since, triages)
    origin = Origin(marker, run.url)
    body = comment(*triages, acceptances=accepted, origin=origin)
    found = [finding for triage in triages for finding in triage.findings]
    wanted = Wanted(
        body=body if parts.comment else None,
        create=worth_telling(triages),
        labels=labels(found) if parts.labels else None,
        check=check_run(triages, accepted, origin) if parts.check else None,
    )
    _write(office, pull, wanted, mine)
    count = len(office.writes)
    said = f"#{pull.number}: {count} write{'' if count == 1 else 's'}{' planned' if office.dry_run else ''}."
    return Published(said, triages, body, conclusion(triages, accepted))


def _accepted(
    office: Office, comments: Sequence[Comment], since: str, triages: Sequence[Triage]
) -> tuple[Acceptance, ...]:
    writers = [login for login in voices(comments, since) if office.forge.may_write(login)]
    tests = [finding.test for triage in triages for finding in triage.findings]
    return acceptances(comments, since, writers, tests)


def _write(office: Office, pull: Pull, wanted: Wanted, mine: Sequence[Comment]) -> None:
    forge = office.forge
    checks = forge.checks(wanted.check.sha, NAME) if wanted.check else ()
    known = forge.labels() if wanted.labels and missing_labels(pull, wanted.labels) else ()
    office.url = mine[0].url if mine else ""
    writes = plan(pull, wanted, mine, checks, known)
    office.write(writes)
    if wanted.body is None or office.dry_run or not any(isinstance(write, CreateComment) for write in writes):
        return
    # Another publisher may have created one at the same moment: the oldest stays, whoever made it.
    again = ours(forge.comments(pull.number), office.home.author)
    office.write(comment_writes(pull.number, again, wanted.body, create=False))
    office.url = again[0].url if again else office.url
