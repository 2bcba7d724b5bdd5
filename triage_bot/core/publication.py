"""What to write on a pull request, as data: a plan that can be printed, and that is empty when nothing changed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import Enum, unique

from triage_bot.core.check import CheckRun
from triage_bot.core.host import Check, Comment, Pull
from triage_bot.core.labels import PREFIX, Label
from triage_bot.core.marker import Marker
from triage_bot.core.suggestions import Suggestion


@unique
class Reaction(str, Enum):
    """How a command is answered on the comment itself."""

    SEEN = "eyes"
    DONE = "rocket"
    REFUSED = "confused"


@dataclass(frozen=True)
class CreateComment:
    """A new comment on a pull request."""

    pull: int
    body: str


@dataclass(frozen=True)
class EditComment:
    """A new text for a comment of ours."""

    comment: int
    body: str


@dataclass(frozen=True)
class DeleteComment:
    """A duplicate of ours goes."""

    comment: int


@dataclass(frozen=True)
class CreateLabel:
    """A label that the repository lacks."""

    label: Label


@dataclass(frozen=True)
class AddLabels:
    """Labels for a pull request."""

    pull: int
    names: tuple[str, ...]


@dataclass(frozen=True)
class RemoveLabel:
    """A stale label of ours."""

    pull: int
    name: str


@dataclass(frozen=True)
class CreateCheck:
    """A completed check run."""

    check: CheckRun


@dataclass(frozen=True)
class React:
    """A reaction to a comment."""

    comment: int
    reaction: Reaction


@dataclass(frozen=True)
class Dispatch:
    """A run of a workflow file on a branch."""

    workflow: str
    branch: str
    inputs: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class CreateReview:
    """A review that comments and neither approves nor blocks."""

    pull: int
    sha: str
    body: str
    suggestions: tuple[Suggestion, ...]


Write = (
    CreateComment
    | EditComment
    | DeleteComment
    | CreateLabel
    | AddLabels
    | RemoveLabel
    | CreateCheck
    | React
    | Dispatch
    | CreateReview
)


@dataclass(frozen=True)
class Wanted:
    """How a pull request shall look. None leaves that part alone."""

    body: str | None
    """The comment, marker first."""
    create: bool
    """Whether a comment is made where there is none; an existing one is always brought up to date."""
    labels: Sequence[Label] | None
    check: CheckRun | None


def ours(comments: Sequence[Comment], author: str) -> list[Comment]:
    """Our comments, the oldest first: written by our account *and* beginning with our marker."""
    found = [comment for comment in comments if comment.author == author and Marker.parse(comment.body)]
    return sorted(found, key=lambda comment: comment.id)


def overtaken(mine: Sequence[Comment], marker: Marker) -> bool:
    """Whether a later run has already spoken about the same head."""
    theirs = [Marker.parse(comment.body) for comment in mine]
    return any(other is not None and marker.older_than(other) for other in theirs)


def comment_writes(pull: int, mine: Sequence[Comment], body: str, create: bool) -> tuple[Write, ...]:
    """One comment with this text: the oldest of ours stays, duplicates go."""
    if not mine:
        return (CreateComment(pull, body),) if create else ()
    now, then = Marker.parse(mine[0].body), Marker.parse(body)
    settled = _same(mine[0].body, body) or bool(now and then and then.older_than(now))
    edits = () if settled else (EditComment(mine[0].id, body),)
    return (*edits, *(DeleteComment(comment.id) for comment in mine[1:]))


def plan(
    pull: Pull, wanted: Wanted, mine: Sequence[Comment], checks: Sequence[Check], known_labels: Collection[str]
) -> tuple[Write, ...]:
    """Every write that makes the pull request look as wanted, and no other.

    ``known_labels`` are the repository's; they matter only where a label is missing on the pull request.
    """
    writes: list[Write] = []
    if wanted.body is not None:
        writes += comment_writes(pull.number, mine, wanted.body, wanted.create)
    if wanted.labels is not None:
        writes += _label_writes(pull, wanted.labels, known_labels)
    latest = max(checks, key=lambda check: check.id, default=None)
    if wanted.check is not None and (latest is None or latest.external_id != wanted.check.external_id):
        writes.append(CreateCheck(wanted.check))
    return tuple(writes)


def missing_labels(pull: Pull, labels: Sequence[Label]) -> list[Label]:
    """Labels that the pull request lacks; names differ by more than case, as on the host."""
    present = {name.casefold() for name in pull.labels}
    return [label for label in labels if label.name.casefold() not in present]


def _label_writes(pull: Pull, labels: Sequence[Label], known: Collection[str]) -> list[Write]:
    missing = missing_labels(pull, labels)
    existing = {name.casefold() for name in known}
    writes: list[Write] = [CreateLabel(label) for label in missing if label.name.casefold() not in existing]
    if missing:
        writes.append(AddLabels(pull.number, tuple(label.name for label in missing)))
    right = {label.name.casefold() for label in labels}
    stale = [name for name in pull.labels if name.casefold().startswith(PREFIX) and name.casefold() not in right]
    return writes + [RemoveLabel(pull.number, name) for name in sorted(stale)]


def _same(one: str, other: str) -> bool:
    """The host may change line ends and trailing space."""
    return one.replace("\r\n", "\n").strip() == other.strip()
