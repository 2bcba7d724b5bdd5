"""The shipped workflow files as data: what starts them, which of their jobs run, with which token."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from tests.rig.runs.expressions import condition

FOLDER = Path(__file__).parents[3] / ".github" / "workflows"
SCOPES = {"pull-requests": "pull_requests"}


def load(name: str) -> dict[str, Any]:
    """A shipped workflow."""
    return parse((FOLDER / name).read_text(encoding="utf-8"))


def parse(text: str) -> dict[str, Any]:
    """A workflow from its text. The bare key ``on`` is a boolean to a YAML 1.1 reader; here it is ``on`` again."""
    return {("on" if key is True else key): value for key, value in yaml.safe_load(text).items()}


def started(workflow: dict[str, Any], event_name: str, event: dict[str, Any]) -> bool:
    """Whether GitHub starts the workflow for this event: names, types, branches."""
    triggers = workflow["on"]
    if event_name not in triggers:
        return False
    rules = triggers[event_name] or {}
    defaults = {"pull_request": ["opened", "synchronize", "reopened"]}
    types = rules.get("types", defaults.get(event_name))
    if types and event.get("action") not in types:
        return False
    if event_name == "workflow_run":
        return event["workflow_run"]["name"] in rules["workflows"]
    branch = event.get("ref", "").removeprefix("refs/heads/")
    return "branches" not in rules or branch in rules["branches"]


def contexts(event_name: str, event: dict[str, Any], **more: Any) -> dict[str, Any]:
    """What expressions may look at."""
    github = {
        "event_name": event_name,
        "event": event,
        "repository": event["repository"]["full_name"],
        "ref": event.get("ref", "refs/heads/main"),
        "sha": event.get("after", "0" * 40),
    }
    inputs = event.get("inputs") or {}
    return {"github": github, "inputs": inputs, "vars": {}, **more}


def jobs(workflow: dict[str, Any], event_name: str, event: dict[str, Any]) -> list[str]:
    """The jobs that run for this event, by GitHub's own evaluator; none when the workflow is not started."""
    if not started(workflow, event_name, event):
        return []
    seen = contexts(event_name, event)
    return [name for name, job in workflow["jobs"].items() if condition(job.get("if"), seen)]


def permissions(workflow: dict[str, Any], job: str) -> dict[str, str]:
    """What the token of a job may do: the job's own list, else the workflow's."""
    granted = workflow["jobs"][job].get("permissions", workflow["permissions"])
    return {SCOPES.get(scope, scope): level for scope, level in granted.items()}
