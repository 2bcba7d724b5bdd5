"""GitHub's JSON of events to our facts: the host wrote it, so its shape is trusted; what people wrote in it is text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from triage_bot.core.host import Comment, Home, Run, Spoken
from triage_bot.errors import UsageError

Event = Mapping[str, Any]
NEVER = "9999-12-31T23:59:59Z"
"""Stands in for an instant that is not told: no acceptance is younger."""


def home(event: Event, *, workflow: str, author: str, url: str) -> Home:
    """The repository that an event happened in."""
    return Home(
        repository=_text(event, "repository", "full_name"),
        default_branch=_text(event, "repository", "default_branch"),
        workflow=workflow,
        author=author,
        url=url,
    )


def run(found: Event) -> Run:
    """A ``workflow_run`` object, of an event or of the API."""
    return Run(
        id=_number(found, "id"),
        attempt=_number(found, "run_attempt"),
        event=_text(found, "event"),
        workflow=_text(found, "path"),
        repository=_text(found, "repository", "full_name"),
        head_repository=_text(found, "head_repository", "full_name"),
        head_branch=_text(found, "head_branch"),
        head_sha=_text(found, "head_sha"),
        title=_text(found, "display_title"),
        conclusion=_text(found, "conclusion"),
        finished=_text(found, "updated_at") or NEVER,
        url=_text(found, "html_url"),
    )


@dataclass(frozen=True)
class Job:
    """The run that we are part of ourselves."""

    run_id: int
    attempt: int
    url: str
    workflow: str
    """Path of its workflow file."""


def finished_run(name: str, event: Event, job: Job) -> Run:
    """The run that an event is about: the one that ended, or ``job``'s own, where one workflow runs and publishes."""
    if name == "workflow_run":
        return run(event["workflow_run"])
    if name not in ("pull_request", "push"):
        raise UsageError(
            f"an event {name or 'without a name'!r} carries no result",
            "Call it on workflow_run, pull_request or push: `on:` in the workflow file.",
        )
    head = event.get("pull_request", {}).get("head", {})
    repository = _text(event, "repository", "full_name")
    return Run(
        id=job.run_id,
        attempt=job.attempt,
        event=name,
        workflow=job.workflow,
        repository=repository,
        head_repository=_text(head, "repo", "full_name") if name == "pull_request" else repository,
        head_branch=_text(head, "ref") or _text(event, "ref").removeprefix("refs/heads/"),
        head_sha=_text(head, "sha") or _text(event, "after"),
        title="",
        conclusion="",
        finished=_text(event, "pull_request", "updated_at") or _pushed(event),
        url=job.url,
    )


def spoken(event: Event) -> Spoken:
    """An ``issue_comment`` event."""
    issue = event["issue"]
    return Spoken(
        action=_text(event, "action"),
        pull=_number(issue, "number") if issue.get("pull_request") else None,
        comment=Comment(
            id=_number(event, "comment", "id"),
            author=_text(event, "comment", "user", "login"),
            by_bot=_text(event, "comment", "user", "type") != "User",
            body=_text(event, "comment", "body"),
            created=_text(event, "comment", "created_at"),
            updated=_text(event, "comment", "updated_at"),
            url=_text(event, "comment", "html_url"),
        ),
    )


def _pushed(event: Event) -> str:
    """When the host took a push. Not what its commits say: whoever makes them chooses their dates."""
    seconds = _number(event, "repository", "pushed_at")
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ") if seconds else NEVER


def _at(value: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _text(value: Any, *path: str) -> str:
    found = _at(value, path)
    return found if isinstance(found, str) else ""


def _number(value: Any, *path: str) -> int:
    found = _at(value, path)
    return found if isinstance(found, int) else 0
