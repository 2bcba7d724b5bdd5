"""Which findings maintainers have excused on this head, recomputed from their own comments each time."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from triage_bot.core.commands import Accept, match_test, parse
from triage_bot.core.host import Comment
from triage_bot.core.standing import Acceptance

MOST_VOICES = 20
"""Logins whose permission is looked up; the latest count."""


def candidates(comments: Sequence[Comment], since: str) -> list[tuple[Comment, Accept]]:
    """Comments that would excuse something if their authors may: unedited, by people, younger than the result."""
    found = []
    for comment in comments:
        command = parse(comment.body)
        if isinstance(command, Accept) and not comment.by_bot and not comment.edited and comment.created >= since:
            found.append((comment, command))
    return found


def voices(comments: Sequence[Comment], since: str) -> list[str]:
    """The logins behind the candidates, each once."""
    logins = dict.fromkeys(comment.author for comment, _ in reversed(candidates(comments, since)))
    return list(logins)[:MOST_VOICES]


def acceptances(
    comments: Sequence[Comment], since: str, writers: Collection[str], tests: Collection[str]
) -> tuple[Acceptance, ...]:
    """Those that hold: by one of ``writers``, on exactly one of ``tests``; the first word on a test wins."""
    held: dict[str, Acceptance] = {}
    for comment, command in candidates(comments, since):
        test = match_test(command.test, tests)
        if comment.author in writers and isinstance(test, str):
            held.setdefault(test, Acceptance(test, comment.author, command.reason))
    return tuple(held.values())
