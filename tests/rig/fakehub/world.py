"""What the fake GitHub knows: people, pull requests, comments, checks, runs, artifacts. Plain data, one clock."""

from __future__ import annotations

import itertools
import threading
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any

BOT = "github-actions[bot]"
START = datetime(2026, 1, 1, tzinfo=timezone.utc)


@dataclass
class Pull:
    number: int
    author: str
    head_sha: str
    head_branch: str
    head_repository: str | None
    title: str = "A change"
    state: str = "open"
    files: dict[str, str] = field(default_factory=dict)
    """Path to the patch that GitHub shows, as unified-diff hunks."""
    labels: list[str] = field(default_factory=list)


@dataclass
class Comment:
    id: int
    issue: int
    author: str
    body: str
    created_at: str
    updated_at: str
    reactions: list[tuple[str, str]] = field(default_factory=list)
    """Who and what."""


@dataclass
class Label:
    name: str
    color: str = "ededed"
    description: str | None = None


@dataclass
class Check:
    id: int
    name: str
    head_sha: str
    fields: dict[str, Any]
    annotations: list[dict[str, Any]] = field(default_factory=list)
    app: str = "github-actions"


@dataclass
class Review:
    id: int
    pull: int
    author: str
    commit_id: str
    body: str
    event: str
    comments: list[dict[str, Any]]


@dataclass
class Run:
    id: int
    workflow: str
    """File name below ``.github/workflows/``."""
    event: str
    head_sha: str
    head_branch: str
    head_repository: str | None
    title: str
    conclusion: str | None
    attempt: int = 1
    actor: str = "octocat"
    created_at: str = ""


@dataclass
class Artifact:
    id: int
    run: int
    name: str
    blob: bytes
    created_at: str
    expired: bool = False


@dataclass
class Token:
    """What a job was given: scopes to ``read`` or ``write``, and in whose name it acts."""

    permissions: dict[str, str]
    actor: str = BOT


@dataclass
class World:
    """One repository and everything around it. Handlers hold ``lock`` while they look and change."""

    repository: str = "acme/kernels"
    base_url: str = ""
    """Where the API answers; known once it is served."""
    blob_url: str = ""
    """Where artifacts are kept, on another host as on GitHub."""
    default_branch: str = "main"
    default_sha: str = "0" * 39 + "1"
    private: bool = False
    permissions: dict[str, str] = field(default_factory=lambda: {"octocat": "admin", "maintainer": "write"})
    """Collaborators; everyone else may read."""
    pulls: dict[int, Pull] = field(default_factory=dict)
    comments: dict[int, Comment] = field(default_factory=dict)
    labels: dict[str, Label] = field(default_factory=dict)
    checks: dict[int, Check] = field(default_factory=dict)
    reviews: dict[int, Review] = field(default_factory=dict)
    runs: dict[int, Run] = field(default_factory=dict)
    artifacts: dict[int, Artifact] = field(default_factory=dict)
    workflows: dict[str, dict[str, Any]] = field(default_factory=dict)
    """File name to its parsed text, for dispatches."""
    contents: dict[tuple[str, str], str] = field(default_factory=dict)
    """Commit and path to text."""
    dispatches: list[dict[str, Any]] = field(default_factory=list)
    tokens: dict[str, Token] = field(default_factory=dict)
    lock: threading.RLock = field(default_factory=threading.RLock)
    _ids: itertools.count[int] = field(default_factory=lambda: itertools.count(1001))
    _ticks: itertools.count[int] = field(default_factory=itertools.count)

    def new_id(self) -> int:
        return next(self._ids)

    def now(self) -> str:
        """The next instant: every call is a second later, so that order is total and a run repeats exactly."""
        return (START + timedelta(seconds=next(self._ticks))).strftime("%Y-%m-%dT%H:%M:%SZ")

    def add_pull(self, number: int, head_sha: str, *, fork: str | None = None, **more: Any) -> Pull:
        pull = Pull(
            number=number,
            author=more.pop("author", "mallory" if fork else "maintainer"),
            head_sha=head_sha,
            head_branch=more.pop("head_branch", f"topic-{number}"),
            head_repository=more.pop("head_repository", fork or self.repository),
            **more,
        )
        self.pulls[number] = pull
        return pull

    def add_comment(self, issue: int, author: str, body: str) -> Comment:
        now = self.now()
        comment = Comment(self.new_id(), issue, author, body, now, now)
        self.comments[comment.id] = comment
        return comment

    def add_run(self, **fields: Any) -> Run:
        run = Run(id=self.new_id(), created_at=self.now(), **fields)
        self.runs[run.id] = run
        return run

    def add_artifact(self, run: int, name: str, blob: bytes) -> Artifact:
        artifact = Artifact(self.new_id(), run, name, blob, self.now())
        self.artifacts[artifact.id] = artifact
        return artifact

    def comments_of(self, issue: int) -> list[Comment]:
        return [comment for comment in self.comments.values() if comment.issue == issue]
