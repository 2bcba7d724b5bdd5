from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.samples import SHA
from triage_bot.adapters import github_event
from triage_bot.adapters.actions import SUMMARY, Actions, harmless
from triage_bot.core.marker import Marker
from triage_bot.errors import UsageError

REPOSITORY = {"full_name": "octo/kernels", "default_branch": "main"}


def actions(folder: Path, name: str, event: dict[str, Any]) -> Actions:
    path = folder / "event.json"
    path.write_text(json.dumps({"repository": REPOSITORY, **event}))
    return Actions.read(
        {
            "GITHUB_EVENT_NAME": name,
            "GITHUB_EVENT_PATH": str(path),
            "GITHUB_REPOSITORY": "octo/kernels",
            "GITHUB_RUN_ID": "71",
            "GITHUB_RUN_ATTEMPT": "2",
            "GITHUB_WORKFLOW_REF": "octo/kernels/.github/workflows/gpu-race.yml@refs/pull/7/merge",
            "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
            "GITHUB_OUTPUT": str(folder / "output"),
        }
    )


def test_a_pull_request_whose_workflow_publishes_by_itself_is_a_run_too(tmp_path: Path) -> None:
    head = {"sha": SHA, "ref": "topic", "repo": {"full_name": "mallory/kernels"}}
    told = actions(tmp_path, "pull_request", {"pull_request": {"head": head, "updated_at": "2026-12-01T00:00:00Z"}})
    run = github_event.finished_run(told.event_name, told.event, told.job)
    assert (run.id, run.attempt, run.head_sha, run.head_branch) == (71, 2, SHA, "topic")
    assert run.head_repository == "mallory/kernels"
    assert run.workflow.split("@")[0] == ".github/workflows/gpu-race.yml"
    assert run.url == "https://github.com/octo/kernels/actions/runs/71"


def test_a_push_is_of_this_repository(tmp_path: Path) -> None:
    told = actions(tmp_path, "push", {"ref": "refs/heads/topic", "after": SHA})
    run = github_event.finished_run(told.event_name, told.event, told.job)
    assert (run.head_repository, run.head_branch, run.head_sha) == ("octo/kernels", "topic", SHA)


def test_a_push_is_dated_by_the_host_and_never_by_its_commits(tmp_path: Path) -> None:
    commit = {"timestamp": "2001-01-01T00:00:00+01:00"}
    for pushed, finished in ((1_796_083_200, "2026-12-01T00:00:00Z"), (None, github_event.NEVER)):
        event = {"after": SHA, "head_commit": commit, "repository": {**REPOSITORY, "pushed_at": pushed}}
        told = actions(tmp_path, "push", event)
        run = github_event.finished_run(told.event_name, told.event, told.job)
        assert run.finished == finished
        assert Marker.parse(str(Marker(SHA, 71, 1, run.finished)))


def test_a_head_repository_that_is_gone_reads_as_none() -> None:
    found = github_event.run({"id": 1, "head_repository": None, "repository": REPOSITORY, "conclusion": None})
    assert (found.head_repository, found.conclusion) == ("", "")


def test_an_event_that_carries_no_result_says_which_do(tmp_path: Path) -> None:
    told = actions(tmp_path, "schedule", {})
    with pytest.raises(UsageError, match="'schedule' carries no result") as refusal:
        github_event.finished_run(told.event_name, told.event, told.job)
    assert "workflow_run" in refusal.value.advice


@pytest.mark.parametrize("content", [None, "", "[]", "{}", '{"repository": 1}'])
def test_without_an_event_there_is_one_error(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "event.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(UsageError):
        Actions.read({"GITHUB_EVENT_PATH": str(path)})
    with pytest.raises(UsageError, match=r"GITHUB_EVENT_PATH is not set$"):
        Actions.read({})
    with pytest.raises(UsageError, match=r"Is a directory$"):
        Actions.read({"GITHUB_EVENT_PATH": str(tmp_path)})


def test_a_value_cannot_end_its_own_output(tmp_path: Path) -> None:
    told = actions(tmp_path, "push", {})
    told.put({"json": "a\nend-0\nconclusion=success", "tests": "3"})
    lines = (tmp_path / "output").read_text().splitlines()
    name, _, delimiter = lines[0].partition("<<")
    assert name == "json"
    assert lines.index(delimiter) == 4
    assert lines[5].startswith("tests<<")


def test_a_step_summary_is_added_and_never_too_long(tmp_path: Path) -> None:
    told = actions(tmp_path, "push", {})
    told.summarize("one")
    told.summarize("x" * 2 * SUMMARY)
    data = (tmp_path / "summary.md").read_bytes()
    assert data.startswith(b"one\n")
    assert len(data) <= SUMMARY + 4


@pytest.mark.parametrize(
    "line", ["::error::pwned", "  ::set-output name=a::b", "##[command]x", "ok\r::warning::x", "\x0b::x::"]
)
def test_no_line_of_a_log_is_a_workflow_command(line: str) -> None:
    said = harmless(f"first\n{line}\nlast")
    assert not any(part.strip().startswith(("::", "##[")) for part in said.splitlines())


def test_other_lines_of_a_log_stay_as_they_are() -> None:
    assert harmless("a :: b\n+ tests/a.py::b\n") == "a :: b\n+ tests/a.py::b\n"
