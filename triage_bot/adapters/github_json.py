"""The JSON of requests to GitHub that carry lists: annotations of a check run, comments of a review."""

from __future__ import annotations

from triage_bot.core.check import Annotation
from triage_bot.core.review import suggestion_body
from triage_bot.core.suggestions import Suggestion


def annotation(note: Annotation) -> dict[str, str | int]:
    """An annotation of one line."""
    return {
        "path": note.path,
        "start_line": note.line,
        "end_line": note.line,
        "annotation_level": note.level,
        "title": note.title,
        "message": note.message,
    }


def review_comment(suggestion: Suggestion) -> dict[str, str | int]:
    """A comment on one line or a range; GitHub refuses a range of one line."""
    place: dict[str, str | int] = {"path": suggestion.path, "line": suggestion.end, "side": "RIGHT"}
    if suggestion.start < suggestion.end:
        place |= {"start_line": suggestion.start, "start_side": "RIGHT"}
    return {**place, "body": suggestion_body(suggestion)}
