"""The job that runs code of pull requests: what its inputs may do, and what it leaves behind when the suite dies."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rig.fakehub.server import Hub
from tests.rig.runs.leaky import PLACE
from tests.rig.runs.origin import Origin
from tests.rig.runs.stage import Stage


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Origin:
    return Origin(tmp_path_factory.mktemp("race") / "origin")


@pytest.fixture
def stage(hub: Hub, origin: Origin, tmp_path: Path) -> Stage:
    (tmp_path / "runs").mkdir()
    return Stage(hub, origin, tmp_path / "runs")


@pytest.mark.parametrize("sha", ["abcdef12", "A" * 40, "a" * 39 + "\n"])
def test_a_commit_that_is_not_named_in_full_is_not_even_checked_out(stage: Stage, sha: str) -> None:
    race, _ = stage.dispatched({"pull-request": 7, "sha": sha}, "maintainer")
    assert race.done is not None
    assert not race.done.succeeded
    assert "sha needs all 40 digits" in race.done.log
    assert "Success - Main actions/checkout" not in race.done.log


def test_the_name_of_a_test_reaches_no_shell(stage: Stage, tmp_path: Path) -> None:
    pwned = tmp_path / "pwned"
    test = f"$(touch {pwned}); touch {pwned} `touch {pwned}` \" ' && touch {pwned}"
    race, _ = stage.dispatched({"pull-request": 7, "sha": stage.origin.main, "test": test}, "maintainer")
    assert race.done is not None
    assert not race.done.succeeded
    assert not pwned.exists()


def test_a_suite_that_takes_the_interpreter_down_is_told_as_a_crash(stage: Stage) -> None:
    crash = "import os\n\n\ndef test_crash():\n    os._exit(139)\n"
    race, _ = stage.push(8, stage.origin.commit("main", {PLACE: crash}))
    assert race.run.conclusion == "failure"
    (comment,) = stage.hub.world.comments_of(8)
    assert "runner crashed" in comment.body
    assert [check.fields["conclusion"] for check in stage.hub.world.checks.values()] == ["failure"]


def test_a_green_run_makes_no_comment(stage: Stage) -> None:
    race, publish = stage.push(9, stage.origin.commit("main", {"docs/notes.md": "Nothing of note.\n"}))
    assert race.run.conclusion == "success"
    assert stage.hub.world.comments_of(9) == []
    assert [check.fields["conclusion"] for check in stage.hub.world.checks.values()] == ["success"], publish.done
