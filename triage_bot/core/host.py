"""What the code host says: facts that decisions are made on. Nothing here comes from an artifact."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Home:
    """Where the bot lives and who it is there; configuration and event, never an artifact."""

    repository: str
    """``owner/name``"""
    default_branch: str
    workflow: str = "gpu-race.yml"
    """File name of the race workflow."""
    author: str = "github-actions[bot]"
    """Login that the bot's token writes as."""
    url: str = "https://github.com"
    """For people."""


@dataclass(frozen=True)
class Run:
    """A run of a workflow."""

    id: int
    attempt: int
    event: str
    """What started it: ``pull_request``, ``push``, ``workflow_dispatch``, …"""
    workflow: str
    """Path of the workflow file, e.g. ``.github/workflows/gpu-race.yml``."""
    repository: str
    """``owner/name`` of the repository that it ran in."""
    head_repository: str
    """The one whose commit it ran; empty when that repository is gone."""
    head_branch: str
    head_sha: str
    title: str
    """The run's name as displayed."""
    conclusion: str
    """``success``, ``failure``, ``cancelled``, ``skipped``, …; empty while it runs."""
    finished: str
    """When the host last changed it, ``2026-12-01T00:00:00Z``."""
    url: str
    """For people."""


@dataclass(frozen=True)
class Pull:
    """A pull request now."""

    number: int
    open: bool
    head_sha: str
    head_repository: str
    """``owner/name``; empty when that repository is gone."""
    labels: frozenset[str]
    url: str
    """For people."""


@dataclass(frozen=True)
class Comment:
    """A comment in the conversation of a pull request."""

    id: int
    """Grows with time."""
    author: str
    """Login."""
    by_bot: bool
    body: str
    created: str
    """``2026-12-01T00:00:00Z``"""
    updated: str
    url: str

    @property
    def edited(self) -> bool:
        """Whether somebody, its author or not, changed its text later."""
        return self.created != self.updated


@dataclass(frozen=True)
class Check:
    """A check run on a commit."""

    id: int
    external_id: str
    """What its creator wrote there."""


@dataclass(frozen=True)
class ChangedFile:
    """A file that a pull request changes."""

    path: str
    patch: str
    """Unified hunks without file header; empty where the host leaves them out."""


@dataclass(frozen=True)
class Review:
    """A review on a pull request."""

    author: str
    body: str


@dataclass(frozen=True)
class Spoken:
    """A comment was made, as the event tells it."""

    action: str
    """``created``, ``edited``, …"""
    pull: int | None
    """Number of the pull request; None on an issue."""
    comment: Comment
