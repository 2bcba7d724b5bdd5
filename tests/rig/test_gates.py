"""Which job runs for which event, by GitHub's own evaluator on the shipped files."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from tests.rig.conftest import FORK, HEAD
from tests.rig.fakehub.world import Run, World
from tests.rig.runs import events
from tests.rig.runs.expressions import condition, render
from tests.rig.runs.workflows import FOLDER, contexts, jobs, load, permissions

RACE, PUBLISH, COMMAND = load("gpu-race.yml"), load("triage-publish.yml"), load("triage-command.yml")
DISPATCH = {"pull-request": 7, "sha": HEAD, "test": "", "trials": ""}


def run(world: World, conclusion: str = "failure", **more: Any) -> Run:
    fields = {"workflow": "gpu-race.yml", "event": "pull_request", "head_sha": HEAD, "head_branch": "topic-7"}
    return world.add_run(
        **{**fields, "head_repository": world.repository, "title": "x", "conclusion": conclusion, **more}
    )


def test_a_pull_request_of_this_repository_gets_the_gpu(world: World) -> None:
    assert jobs(RACE, "pull_request", events.pull_request(world, world.pulls[7])) == ["race"]


@pytest.mark.parametrize("fork", [FORK, None], ids=["fork", "deleted fork"])
def test_a_fork_does_not_get_the_gpu(world: World, fork: str | None) -> None:
    pull = world.add_pull(8, "b" * 40, head_repository=fork)
    assert jobs(RACE, "pull_request", events.pull_request(world, pull)) == []


def test_pushes_to_main_get_the_gpu_and_other_pushes_do_not(world: World) -> None:
    assert jobs(RACE, "push", events.push(world, "main", HEAD)) == ["race"]
    assert jobs(RACE, "push", events.push(world, "topic-7", HEAD)) == []


def test_a_dispatch_gets_the_gpu_and_its_name_ties_it_to_a_commit(world: World) -> None:
    event = events.workflow_dispatch(world, DISPATCH)
    assert jobs(RACE, "workflow_dispatch", event) == ["race"]
    assert render(RACE["run-name"], contexts("workflow_dispatch", event)) == f"triage #7 @ {HEAD}"


def test_other_runs_keep_the_name_that_github_gives_them(world: World) -> None:
    event = events.pull_request(world, world.pulls[7])
    assert render(RACE["run-name"], contexts("pull_request", event)) == ""


@pytest.mark.parametrize("test", ["", "tests/test_a.py::test_x"])
def test_the_whole_suite_runs_unless_one_test_is_named(world: World, test: str) -> None:
    (suite,) = [step for step in RACE["jobs"]["race"]["steps"] if step.get("name") == "Race suite"]
    dispatch = contexts("workflow_dispatch", events.workflow_dispatch(world, {**DISPATCH, "test": test}))
    assert condition(suite["if"], dispatch) is (test == "")
    assert condition(suite["if"], contexts("pull_request", events.pull_request(world, world.pulls[7])))


def test_what_was_found_is_kept_when_the_suite_failed_and_not_when_the_run_was_cancelled(world: World) -> None:
    steps = RACE["jobs"]["race"]["steps"]
    keep = [step["if"] for step in steps if step.get("name") == "Triage" or "upload" in step.get("uses", "")]
    seen = contexts("push", events.push(world, "main", HEAD), steps={"prepare": {"outcome": "success"}})
    assert [condition(text, seen, "failure") for text in keep] == [True, True]
    assert [condition(text, seen, "cancelled") for text in keep] == [False, False]


def test_every_finished_run_is_published_but_a_cancelled_one(world: World) -> None:
    for conclusion in ("success", "failure", "skipped", "timed_out"):
        assert jobs(PUBLISH, "workflow_run", events.workflow_run(world, run(world, conclusion))) == ["publish"]
    assert jobs(PUBLISH, "workflow_run", events.workflow_run(world, run(world, "cancelled"))) == []
    assert jobs(PUBLISH, "workflow_run", events.workflow_run(world, run(world), "requested")) == []
    assert jobs(PUBLISH, "workflow_run", events.workflow_run(world, run(world, workflow="ci.yml"))) == []


def test_dispatched_runs_of_two_pull_requests_do_not_wait_for_each_other(world: World) -> None:
    def group(title: str) -> str:
        it = run(world, event="workflow_dispatch", head_branch="main", title=title)
        return render(PUBLISH["concurrency"]["group"], contexts("workflow_run", events.workflow_run(world, it)))

    assert group(f"triage #7 @ {HEAD}") != group(f"triage #8 @ {HEAD}")


@pytest.mark.parametrize(
    ("author", "body", "action", "expected"),
    [
        ("maintainer", "/triage rerun", "created", ["respond"]),
        ("stranger", "/triage rerun", "created", ["respond"]),
        ("maintainer", "/triage rerun", "edited", []),
        ("dependabot[bot]", "/triage rerun", "created", []),
        ("maintainer", "> /triage rerun", "created", []),
        ("maintainer", "```\n/triage rerun\n```", "created", []),
        ("maintainer", "looks good", "created", []),
    ],
)
def test_only_new_comments_that_begin_like_a_command_start_a_job(
    world: World, author: str, body: str, action: str, expected: list[str]
) -> None:
    comment = world.add_comment(7, author, body)
    assert jobs(COMMAND, "issue_comment", events.issue_comment(world, comment, action)) == expected


def test_a_comment_on_an_issue_that_is_no_pull_request_starts_nothing(world: World) -> None:
    event = events.issue_comment(world, world.add_comment(7, "maintainer", "/triage help"))
    del event["issue"]["pull_request"]
    assert jobs(COMMAND, "issue_comment", event) == []


def test_no_workflow_grants_anything_on_top_and_the_gpu_job_gets_nothing_at_all() -> None:
    for path in FOLDER.glob("*.yml"):
        assert load(path.name)["permissions"] == {}, path.name
    assert permissions(RACE, "race") == {}


def test_secrets_are_named_nowhere_and_the_token_only_where_no_pull_request_code_runs() -> None:
    for path in FOLDER.glob("*.yml"):
        assert "secrets." not in path.read_text(encoding="utf-8"), path.name
    assert "github.token" not in (FOLDER / "gpu-race.yml").read_text(encoding="utf-8")


def test_every_action_is_pinned_to_a_commit_with_its_version_beside_it() -> None:
    for path in [*FOLDER.glob("*.yml"), FOLDER.parents[1] / "action.yml"]:
        for line in path.read_text(encoding="utf-8").splitlines():
            if "uses:" in line and "./" not in line:
                assert re.search(r"uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$", line), line


def test_nothing_that_a_person_wrote_is_spliced_into_a_script() -> None:
    action = yaml.safe_load((FOLDER.parents[1] / "action.yml").read_text(encoding="utf-8"))
    jobs = [job for path in FOLDER.glob("*.yml") for job in load(path.name)["jobs"].values()]
    for step in [*action["runs"]["steps"], *(step for job in jobs for step in job["steps"])]:
        assert "${{" not in step.get("run", ""), step
