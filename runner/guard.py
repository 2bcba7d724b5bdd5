"""Decides whether the job that is about to start may run on this machine: triage-bot runner guard.

A pull request from a fork runs the fork's own workflow files, and those may ask for any runner. So the decision is
made here, from the event that the code host delivered, and not in a workflow. Standard library only; run by
``guard.sh`` with ``python3 -I``. What it cannot do: judge code that someone with write permission pushed, or undo what
an earlier job left on a machine that is not thrown away after each job.
"""

import json
import os
import re
import sys
from pathlib import Path

STARTED_BY_WRITERS = {"push", "schedule", "workflow_dispatch", "repository_dispatch", "merge_group"}
"""Events that only the clock or someone with write permission can cause. All others are looked into, or refused."""


def refusal(event_name, event, repository):
    """Why the job must not run; None when it may."""
    if not repository:
        return "the runner did not say which repository this is"
    if event_name.startswith("pull_request") or "pull_request" in event:
        return foreign(repository_of(event.get("pull_request"), "head", "repo"), repository)
    if event_name == "workflow_run":
        return foreign(repository_of(event.get("workflow_run"), "head_repository"), repository)
    if event_name not in STARTED_BY_WRITERS:
        return f"the event {plain(event_name)} can be caused by people without write permission"
    return None


def foreign(head, repository):
    """Why code of ``head`` must not run on a runner of ``repository``; None when they are the same."""
    if head is None:
        return "the repository that the code comes from is missing in the event"
    if head != repository:
        return f"the code comes from {plain(head)}, and this runner serves {plain(repository)} only"
    return None


def repository_of(value, *path):
    """The full name at the end of a path of keys; None where anything is missing or is not what it should be."""
    for key in (*path, "full_name"):
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, str) else None


def plain(text):
    """Text that can neither hold a workflow command nor break a line: it is printed to a log that is read for both."""
    return re.sub(r"[^A-Za-z0-9._/-]", "?", str(text))[:140]


def main(environ):
    """Exit code 0 when the job may run. Whatever cannot be read is refused."""
    event_name = environ.get("GITHUB_EVENT_NAME", "")
    repository = environ.get("GITHUB_REPOSITORY", "")
    try:
        event = json.loads(Path(environ.get("GITHUB_EVENT_PATH", "")).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        reason = f"the event cannot be read ({type(error).__name__})"
    else:
        reason = refusal(event_name, event, repository) if isinstance(event, dict) else "the event is not an object"
    if reason is None:
        print(f"triage-bot guard: {plain(event_name)} of {plain(repository)} may run here")
        return 0
    print(f"triage-bot guard: this job may not run here: {reason}. See docs/setup.md of triage-bot.")
    return 1


if __name__ == "__main__":
    sys.exit(main(os.environ))
