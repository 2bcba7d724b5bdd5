"""The fake against the real one: its answers have the status and the kinds of fields that were recorded of GitHub."""

from __future__ import annotations

from typing import Any

import pytest
import requests

from tests.rig.conftest import HEAD
from tests.rig.fakehub.server import ROUTES, Hub
from tests.rig.fakehub.world import World
from tests.rig.recorded import Kinds, kinds_of, recorded

CHECK = {"name": "triage", "head_sha": HEAD, "status": "completed", "conclusion": "neutral"}
REVIEW = {"event": "COMMENT", "body": "x", "comments": [{"path": "tests/test_a.py", "line": 2, "body": "y"}]}
LINE: dict[tuple[str, str], tuple[str, Any]] = {
    ("GET", "/repos/{owner}/{repo}"): ("", None),
    ("GET", "/repos/{owner}/{repo}/collaborators/{username}/permission"): ("/collaborators/octocat/permission", None),
    ("POST", "/repos/{owner}/{repo}/issues/{issue_number}/comments"): ("/issues/7/comments", {"body": "one"}),
    ("GET", "/repos/{owner}/{repo}/issues/{issue_number}/comments"): ("/issues/7/comments", None),
    ("PATCH", "/repos/{owner}/{repo}/issues/comments/{comment_id}"): ("/issues/comments/1001", {"body": "two"}),
    ("GET", "/repos/{owner}/{repo}/issues/comments/{comment_id}"): ("/issues/comments/1001", None),
    ("POST", "/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions"): (
        "/issues/comments/1001/reactions",
        {"content": "eyes"},
    ),
    ("GET", "/repos/{owner}/{repo}/issues/{issue_number}"): ("/issues/7", None),
    ("POST", "/repos/{owner}/{repo}/labels"): ("/labels", {"name": "triage: flaky", "color": "fbca04"}),
    ("GET", "/repos/{owner}/{repo}/labels"): ("/labels", None),
    ("GET", "/repos/{owner}/{repo}/labels/{name}"): ("/labels/triage: flaky", None),
    ("POST", "/repos/{owner}/{repo}/issues/{issue_number}/labels"): ("/issues/7/labels", ["triage: flaky"]),
    ("GET", "/repos/{owner}/{repo}/issues/{issue_number}/labels"): ("/issues/7/labels", None),
    ("DELETE", "/repos/{owner}/{repo}/issues/{issue_number}/labels/{name}"): ("/issues/7/labels/triage: flaky", None),
    ("PUT", "/repos/{owner}/{repo}/issues/{issue_number}/labels"): ("/issues/7/labels", ["triage: flaky"]),
    ("GET", "/repos/{owner}/{repo}/pulls"): ("/pulls", None),
    ("GET", "/repos/{owner}/{repo}/pulls/{pull_number}"): ("/pulls/7", None),
    ("GET", "/repos/{owner}/{repo}/pulls/{pull_number}/files"): ("/pulls/7/files", None),
    ("POST", "/repos/{owner}/{repo}/pulls/{pull_number}/reviews"): ("/pulls/7/reviews", REVIEW),
    ("GET", "/repos/{owner}/{repo}/pulls/{pull_number}/reviews"): ("/pulls/7/reviews", None),
    ("GET", "/repos/{owner}/{repo}/pulls/{pull_number}/comments"): ("/pulls/7/comments", None),
    ("GET", "/repos/{owner}/{repo}/commits/{ref}"): (f"/commits/{HEAD}", None),
    ("GET", "/repos/{owner}/{repo}/commits/{commit_sha}/pulls"): (f"/commits/{HEAD}/pulls", None),
    ("POST", "/repos/{owner}/{repo}/check-runs"): ("/check-runs", CHECK),
    ("GET", "/repos/{owner}/{repo}/commits/{ref}/check-runs"): (f"/commits/{HEAD}/check-runs", None),
    ("PATCH", "/repos/{owner}/{repo}/check-runs/{check_run_id}"): ("/check-runs/1003", {"conclusion": "success"}),
    ("GET", "/repos/{owner}/{repo}/check-runs/{check_run_id}"): ("/check-runs/1003", None),
    ("GET", "/repos/{owner}/{repo}/contents/{path}"): ("/contents/docs/a.md", None),
    ("GET", "/repos/{owner}/{repo}/compare/{basehead}"): (f"/compare/main...{HEAD}", None),
    ("GET", "/repos/{owner}/{repo}/actions/runs"): ("/actions/runs", None),
    ("GET", "/repos/{owner}/{repo}/actions/runs/{run_id}"): ("/actions/runs/1004", None),
    ("GET", "/repos/{owner}/{repo}/actions/runs/{run_id}/jobs"): ("/actions/runs/1004/jobs", None),
    ("GET", "/repos/{owner}/{repo}/actions/runs/{run_id}/artifacts"): ("/actions/runs/1004/artifacts", None),
    ("GET", "/repos/{owner}/{repo}/actions/artifacts/{artifact_id}"): ("/actions/artifacts/1005", None),
    ("GET", "/repos/{owner}/{repo}/actions/workflows/{workflow_id}"): ("/actions/workflows/gpu-race.yml", None),
    ("GET", "/repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs"): (
        "/actions/workflows/gpu-race.yml/runs",
        None,
    ),
    ("POST", "/repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches"): (
        "/actions/workflows/gpu-race.yml/dispatches",
        {"ref": "main"},
    ),
    ("DELETE", "/repos/{owner}/{repo}/issues/comments/{comment_id}"): ("/issues/comments/1001", None),
}
"""One request an operation, in the order of a life: what is read was written before."""
UNRECORDED = {("GET", "/repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}")}
"""A redirect, whose answer has no body."""


def ask(hub: Hub, method: str, url: str, body: Any) -> requests.Response:
    where = f"{hub.world.base_url}/repos/{hub.world.repository}{url}"
    return requests.request(method, where, json=body, headers={"Authorization": "Bearer tok"}, timeout=5)


@pytest.fixture
def answers(hub: Hub, world: World) -> dict[tuple[str, str], requests.Response]:
    world.contents[world.default_sha, "docs/a.md"] = "text"
    world.workflows["gpu-race.yml"] = {"name": "gpu-race", "on": {"workflow_dispatch": None}}
    answers = {}
    for operation, (url, body) in LINE.items():
        if url.endswith("/actions/runs"):
            fields = {"workflow": "gpu-race.yml", "event": "push", "head_sha": HEAD, "head_branch": "main"}
            run = world.add_run(**fields, head_repository=world.repository, title="x", conclusion="success")
            world.add_artifact(run.id, "triage", b"PK")
        answers[operation] = ask(hub, operation[0], url, body)
    return answers


def test_every_operation_that_the_fake_does_is_compared() -> None:
    assert set(LINE) == set(ROUTES) - UNRECORDED


def test_statuses_and_kinds_of_fields_are_those_that_github_was_seen_to_give(
    answers: dict[tuple[str, str], requests.Response],
) -> None:
    wrong = []
    for (method, path), answer in answers.items():
        real = [it for it in recorded() if (it.method, it.path) == (method, path) and it.status < 300]
        assert real, f"nothing recorded of {method} {path}"
        if answer.status_code not in {it.status for it in real}:
            wrong.append(f"{method} {path}: {answer.status_code}, never recorded")
        seen: Kinds = {}
        for it in real:
            for field, kinds in kinds_of(it.answer).items():
                seen.setdefault(field, set()).update(kinds)
        mine = kinds_of(answer.json() if answer.content else None)
        wrong += [
            f"{method} {path} {field}: {kinds - {'NoneType'}} instead of {seen[field]}"
            for field, kinds in mine.items()
            if field in seen and seen[field] != {"NoneType"} and not kinds - {"NoneType"} <= seen[field]
        ]
    assert wrong == []
