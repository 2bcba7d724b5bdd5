from __future__ import annotations

from dataclasses import replace

import pytest

from tests.memory_forge import HOME, PULL, RUN
from tests.samples import SHA
from triage_bot.core.believed import Disbelieved, OfCommit, OfFork, OfPull, believe, target

DISPATCHED = replace(RUN, event="workflow_dispatch", head_branch="main", head_sha="2e" * 20, title=f"triage #7 @ {SHA}")


@pytest.mark.parametrize("event", ["pull_request", "push"])
def test_a_run_of_our_own_branch_is_believed_for_its_commit(event: str) -> None:
    assert believe(replace(RUN, event=event), HOME) == OfCommit(SHA)


@pytest.mark.parametrize("head", ["mallory/kernels", ""])
def test_a_run_of_a_fork_or_of_a_repository_that_is_gone_is_not_believed(head: str) -> None:
    assert believe(replace(RUN, head_repository=head), HOME) == OfFork(SHA, head, "topic")


def test_a_dispatched_run_is_tied_to_its_pull_request_by_its_name() -> None:
    assert believe(DISPATCHED, HOME) == OfPull(7, SHA)
    assert believe(replace(DISPATCHED, workflow=".github/workflows/gpu-race.yml@main"), HOME) == OfPull(7, SHA)


@pytest.mark.parametrize(
    "changes",
    [
        {"title": f"triage #7 @ {SHA[:8]}"},
        {"title": f"triage #7 @ {SHA} "},
        {"title": f"triage #07 @ {SHA}"},
        {"title": f"x triage #7 @ {SHA}"},
        {"title": f"triage #7 @ {SHA}\n"},
        {"title": "A change"},
        {"head_branch": "topic"},
        {"head_repository": "mallory/kernels"},
        {"workflow": ".github/workflows/other.yml"},
        {"workflow": ""},
        {"event": "schedule"},
        {"repository": "octo/other"},
        {"head_sha": "2e2e2e2e"},
    ],
)
def test_a_dispatched_run_with_one_wrong_fact_is_not_believed(changes: dict[str, str]) -> None:
    assert isinstance(believe(replace(DISPATCHED, **changes), HOME), Disbelieved)  # type: ignore[arg-type] # all str


def test_another_workflow_of_our_branch_is_not_believed() -> None:
    assert isinstance(believe(replace(RUN, workflow=".github/workflows/lint.yml"), HOME), Disbelieved)


def test_a_commit_belongs_to_the_one_open_pull_request_at_its_head() -> None:
    claim = OfCommit(SHA)
    assert target(claim, "octo/kernels", [PULL]) == PULL
    for pulls in (
        [],
        [PULL, replace(PULL, number=8)],
        [replace(PULL, open=False)],
        [replace(PULL, head_sha="2e" * 20)],
        [replace(PULL, head_repository="mallory/kernels")],
    ):
        assert isinstance(target(claim, "octo/kernels", pulls), Disbelieved)


def test_a_dispatched_result_is_dropped_when_the_head_has_moved() -> None:
    moved = target(OfPull(7, SHA), "octo/kernels", [replace(PULL, head_sha="2e" * 20)])
    assert moved == Disbelieved(f"the head of #7 has moved on from {SHA}")
    assert target(OfPull(7, SHA), "octo/kernels", [replace(PULL, head_repository="mallory/kernels")])
