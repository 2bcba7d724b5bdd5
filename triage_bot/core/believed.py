"""Whose result a run is, and whether it is believed. Decided from the host's facts; an artifact has no say in it.

A fork can change its own copy of every workflow file and upload what it likes. So its runs are never believed, and a
run that was started by hand counts only where the name that the default branch's file gave it ties it to a commit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from triage_bot.core.host import Home, Pull, Run

_TITLE = re.compile(r"triage #([1-9][0-9]{0,9}) @ ([0-9a-f]{40})")
_OWN_EVENTS = ("pull_request", "push")


@dataclass(frozen=True)
class OfCommit:
    """Believed; it belongs to the pull request of this repository whose head is this commit."""

    sha: str


@dataclass(frozen=True)
class OfPull:
    """Believed; it was started for this pull request at this head."""

    number: int
    sha: str


@dataclass(frozen=True)
class OfFork:
    """Not believed, and nothing of it is read; its pull request may be told how a maintainer starts a run."""

    sha: str
    repository: str
    branch: str


@dataclass(frozen=True)
class Disbelieved:
    """Not believed, and nobody is told but the log."""

    reason: str


Claim = OfCommit | OfPull | OfFork | Disbelieved


def believe(run: Run, home: Home) -> Claim:
    """What a finished run may speak for."""
    if run.repository != home.repository or not re.fullmatch(r"[0-9a-f]{40}", run.head_sha):
        return Disbelieved("the run names no full commit of this repository")
    if run.event in _OWN_EVENTS and run.head_repository != home.repository:
        return OfFork(run.head_sha, run.head_repository, run.head_branch)
    if run.workflow.split("@")[0] != f".github/workflows/{home.workflow}":
        return Disbelieved(f"it is a run of {run.workflow or 'an unnamed file'}, not of {home.workflow}")
    if run.event in _OWN_EVENTS:
        return OfCommit(run.head_sha)
    if run.event != "workflow_dispatch":
        return Disbelieved(f"a run started by {run.event} has no pull request")
    return _dispatched(run, home)


def _dispatched(run: Run, home: Home) -> Claim:
    title = _TITLE.fullmatch(run.title)
    if run.head_repository != home.repository or run.head_branch != home.default_branch:
        return Disbelieved("it was started by hand, and not from the default branch's file")
    if title is None:
        return Disbelieved("it was started by hand, and its name ties it to no pull request and commit")
    return OfPull(int(title[1]), title[2])


def target(claim: OfCommit | OfPull | OfFork, repository: str, pulls: Sequence[Pull]) -> Pull | Disbelieved:
    """The one open pull request that a claim is about, as it stands now."""
    if isinstance(claim, OfPull):
        found = [pull for pull in pulls if pull.number == claim.number and pull.open]
        if found and found[0].head_sha != claim.sha:
            return Disbelieved(f"the head of #{claim.number} has moved on from {claim.sha}")
    else:
        source = claim.repository if isinstance(claim, OfFork) else repository
        found = [pull for pull in pulls if pull.open and (pull.head_sha, pull.head_repository) == (claim.sha, source)]
    if len(found) != 1:
        return Disbelieved(f"{len(found) or 'no'} open pull requests have the head {claim.sha}")
    return found[0]
