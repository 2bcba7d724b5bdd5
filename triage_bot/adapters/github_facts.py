"""PyGithub's objects to our facts, by the attributes that a listed object holds already.

The objects are ``Any`` here, so that their library stays behind one door.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from triage_bot.core.host import Comment, Pull


def pull(found: Any) -> Pull:
    """A pull request, single or of a list."""
    head = found.head
    return Pull(
        number=found.number,
        open=found.state == "open",
        head_sha=head.sha,
        head_repository=head.repo.full_name if head.repo else "",
        labels=frozenset(label.name for label in found.labels),
        url=found.html_url,
    )


def comment(found: Any) -> Comment:
    """A comment of a conversation."""
    return Comment(
        id=found.id,
        author=login(found.user),
        by_bot=found.user is None or found.user.type != "User",
        body=found.body or "",
        created=_instant(found.created_at),
        updated=_instant(found.updated_at),
        url=found.html_url,
    )


def login(user: Any) -> str:
    """An account that was deleted has none."""
    return user.login if user else ""


def _instant(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
