"""The fake answers as GitHub does, by GitHub's description, and enforces the rules that the description lacks."""

from __future__ import annotations

from typing import Any

import pytest
import requests
from github import Github, GithubException
from github.PullRequest import PullRequest
from github.Repository import Repository

from tests.rig.conftest import FORK, HEAD
from tests.rig.fakehub.description import answer_schema, fill, operations
from tests.rig.fakehub.faults import Kind
from tests.rig.fakehub.server import ROUTES, Hub
from tests.rig.fakehub.world import Token, World


@pytest.fixture
def repository(client: Github) -> Repository:
    return client.get_repo("acme/kernels")


@pytest.fixture
def pull(repository: Repository) -> PullRequest:
    return repository.get_pull(7)


def refused(call: Any, *args: Any, **more: Any) -> GithubException:
    with pytest.raises(GithubException) as caught:
        call(*args, **more)
    return caught.value


def test_every_route_is_an_operation_of_the_description() -> None:
    assert set(ROUTES) <= set(operations())


def test_a_comment_is_written_read_edited_and_deleted(pull: PullRequest, hub: Hub) -> None:
    issue = pull.as_issue()
    comment = issue.create_comment("one")
    comment.edit("two")
    comment.create_reaction("eyes")
    assert [(it.body, it.user.login, it.user.type) for it in issue.get_comments()] == [
        ("two", "github-actions[bot]", "Bot")
    ]
    comment.delete()
    assert list(issue.get_comments()) == []


def test_long_lists_come_in_pages(pull: PullRequest, world: World) -> None:
    for number in range(65):
        world.add_comment(7, "octocat", f"comment {number}")
    assert [it.body for it in pull.get_issue_comments()] == [f"comment {number}" for number in range(65)]


def test_labels_are_made_put_on_and_taken_off(repository: Repository, pull: PullRequest) -> None:
    repository.create_label("triage: broken", "b60205", "fails everywhere")
    pull.add_to_labels("triage: broken")
    assert [it.name for it in pull.get_labels()] == ["triage: broken"]
    pull.remove_from_labels("triage: broken")
    assert list(pull.get_labels()) == []
    assert refused(repository.create_label, "Triage: Broken", "b60205").status == 422


def test_a_check_run_is_created_completed_and_found_again(repository: Repository) -> None:
    output: dict[str, Any] = {"title": "t", "summary": "s"}
    check = repository.create_check_run("triage", HEAD, status="completed", conclusion="neutral", output=output)
    check.edit(conclusion="failure")
    assert [it.conclusion for it in repository.get_commit(HEAD).get_check_runs()] == ["failure"]


def test_a_run_its_artifact_and_the_other_host(repository: Repository, world: World) -> None:
    run = world.add_run(
        workflow="gpu-race.yml",
        event="pull_request",
        head_sha=HEAD,
        head_branch="topic-7",
        head_repository="acme/kernels",
        title="A change",
        conclusion="failure",
    )
    world.add_artifact(run.id, "triage", b"PK")
    (artifact,) = repository.get_workflow_run(run.id).get_artifacts()
    bearer = {"Authorization": "Bearer tok"}
    assert requests.get(artifact.archive_download_url, headers=bearer, timeout=5).content == b"PK"
    world.artifacts[artifact.id].expired = True
    assert requests.get(artifact.archive_download_url, headers=bearer, timeout=5).status_code == 410


def test_a_dispatch_takes_declared_inputs_only(repository: Repository, world: World) -> None:
    inputs = {"sha": {"required": True}}
    world.workflows["gpu-race.yml"] = {"name": "gpu-race", "on": {"workflow_dispatch": {"inputs": inputs}}}
    workflow = repository.get_workflow("gpu-race.yml")
    assert workflow.create_dispatch("main", {"sha": HEAD})
    assert [it["inputs"] for it in world.dispatches] == [{"sha": HEAD}]
    for ref, wrong in (("main", {}), ("main", {"sha": HEAD, "colour": "red"}), ("topic", {"sha": HEAD})):
        assert refused(workflow.create_dispatch, ref, wrong, throw=True).status == 422


def test_a_review_comments_only_on_lines_of_the_diff(pull: PullRequest, repository: Repository) -> None:
    commit = repository.get_commit(HEAD)

    def review(**comment: Any) -> Any:
        return pull.create_review(commit, body="", event="COMMENT", comments=[{"body": "x", **comment}])

    review(path="tests/test_a.py", line=2)
    assert len(list(pull.get_reviews())) == 1
    assert refused(review, path="tests/test_a.py", line=9).status == 422
    assert refused(review, path="tests/test_b.py", line=2).status == 422


def test_a_forks_pull_request_is_not_found_by_its_commit(repository: Repository, world: World) -> None:
    world.add_pull(8, "b" * 40, fork=FORK)
    assert [it.number for it in repository.get_commit(HEAD).get_pulls()] == [7]
    assert list(repository.get_commit("b" * 40).get_pulls()) == []


@pytest.mark.parametrize("length", [65_537, 0])
def test_a_body_has_to_fit(pull: PullRequest, length: int) -> None:
    assert refused(pull.create_issue_comment, "x" * length).status == 422


def test_the_longest_body_fits(pull: PullRequest) -> None:
    assert len(pull.create_issue_comment("x" * 65_536).body) == 65_536


def test_a_completed_check_run_needs_a_conclusion(repository: Repository) -> None:
    assert refused(repository.create_check_run, "triage", HEAD, status="completed").status == 422


@pytest.mark.parametrize("output", [{"summary": "s" * 65_536}, {"annotations": 51}], ids=["summary", "annotations"])
def test_a_check_run_has_to_fit(repository: Repository, hub: Hub, output: dict[str, Any]) -> None:
    note = {"path": "a", "start_line": 1, "end_line": 1, "annotation_level": "notice", "message": "m"}
    if "annotations" in output:
        output = {"annotations": [note] * output["annotations"]}
    fields = {"status": "completed", "conclusion": "neutral", "output": {"title": "t", "summary": "s", **output}}
    assert refused(repository.create_check_run, "triage", HEAD, **fields).status == 422
    hub.violations.clear()


def test_a_token_without_the_scope_is_told_which_it_lacks(pull: PullRequest, world: World) -> None:
    world.tokens["tok"] = Token({"contents": "read"})
    refusal = refused(pull.create_issue_comment, "x")
    assert (refusal.status, refusal.data["message"]) == (403, "Resource not accessible by integration")
    assert (refusal.headers or {})["x-accepted-github-permissions"] == "issues=write,pull_requests=write"


def test_an_unknown_token_is_refused(client: Github, world: World) -> None:
    world.tokens.clear()
    assert refused(client.get_repo, "acme/kernels").status == 401


@pytest.mark.parametrize(
    ("kind", "status", "retry_after"),
    [
        (Kind.NO_PERMISSION, 403, None),
        (Kind.SECONDARY_LIMIT, 403, None),
        (Kind.SECONDARY_LIMIT_RETRY_AFTER, 403, "1"),
        (Kind.TOO_MANY, 429, "1"),
        (Kind.LOST, 502, None),
        (Kind.LOST_AFTER_COMMIT, 502, None),
    ],
)
def test_a_fault_strikes_as_often_as_it_was_told(
    pull: PullRequest, hub: Hub, kind: Kind, status: int, retry_after: str | None
) -> None:
    hub.fault(kind, "POST .*/comments")
    refusal = refused(pull.create_issue_comment, "x")
    assert (refusal.status, (refusal.headers or {}).get("retry-after")) == (status, retry_after)
    assert len(hub.world.comments) == (1 if kind is Kind.LOST_AFTER_COMMIT else 0)
    assert pull.create_issue_comment("x").body == "x"


def test_a_list_may_drift_between_its_pages(pull: PullRequest, hub: Hub) -> None:
    first, *_ = [hub.world.add_comment(7, "octocat", f"comment {number}").id for number in range(40)]
    hub.fault(Kind.DRIFT, "GET .*/comments", change=lambda world: world.comments.pop(first))
    assert "comment 30" not in [it.body for it in pull.get_issue_comments()]


def test_what_the_description_forbids_is_refused_and_noted(client: Github, hub: Hub) -> None:
    url = f"{hub.world.base_url}/repos/acme/kernels/issues/7/comments"
    answer = requests.post(url, json={"text": "x"}, headers={"Authorization": "Bearer tok"}, timeout=5)
    assert answer.status_code == 422
    assert "'body' is a required property" in hub.violations.pop()


@pytest.mark.parametrize(("method", "path"), sorted(operations()))
def test_every_answer_can_be_filled_from_nothing(method: str, path: str) -> None:
    statuses = [int(status) for status in operations()[method, path]["responses"] if status.startswith("2")]
    schemas = [answer_schema(method, path, status) for status in statuses]
    assert all(fill(schema, {}) is not None for schema in schemas if schema)
