"""A plan of writes in words, for a dry run and for the log."""

from __future__ import annotations

from triage_bot.core import publication as plan


def line(write: plan.Write) -> str:
    """One write on one line."""
    match write:
        case plan.CreateComment(pull, body):
            text = f"create a comment on #{pull} ({len(body)} characters)"
        case plan.EditComment(comment, body):
            text = f"edit comment {comment} ({len(body)} characters)"
        case plan.DeleteComment(comment):
            text = f"delete comment {comment}, a duplicate"
        case plan.CreateLabel(label):
            text = f"create the label {label.name!r}"
        case plan.AddLabels(pull, names):
            text = f"add to #{pull} the labels {', '.join(map(repr, names))}"
        case plan.RemoveLabel(pull, name):
            text = f"remove from #{pull} the label {name!r}"
        case plan.CreateCheck(check):
            text = f"create a check run on {check.sha}: {check.conclusion.value}, {len(check.annotations)} annotations"
        case plan.React(comment, reaction):
            text = f"react to comment {comment} with {reaction.value}"
        case plan.Dispatch(workflow, branch, inputs):
            given = ", ".join(f"{name}={value!r}" for name, value in inputs)
            text = f"start {workflow} on {branch} with {given}"
        case plan.CreateReview(pull, sha, body, suggestions):
            text = f"review #{pull} at {sha} ({len(body)} characters, {len(suggestions)} suggestions)"
    return text
