"""What the setup page tells people to copy is what the shipped workflows do."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from tests.rig.fakehub.server import Hub
from tests.rig.runs import act, events
from tests.rig.runs.command import Desk
from tests.rig.runs.origin import Origin
from tests.rig.runs.stage import READY
from tests.rig.runs.workflows import load, parse, permissions
from triage_bot.adapters import artifact

PAGE = (Path(__file__).parents[2] / "docs" / "setup.md").read_text(encoding="utf-8")
RACE = load("gpu-race.yml")


def caller_text() -> str:
    """The workflow file that calls ours, as the page shows it."""
    (block,) = re.findall(r"```yaml\n(name: gpu-race\n.*?)```", PAGE, flags=re.DOTALL)
    return block


def caller() -> dict[str, Any]:
    return parse(caller_text())


def test_the_shown_file_names_its_runs_as_publishing_expects_them() -> None:
    assert caller()["run-name"] == RACE["run-name"]


def test_the_shown_file_takes_the_inputs_that_a_command_dispatches_with() -> None:
    shown, ours = (text["on"]["workflow_dispatch"]["inputs"] for text in (caller(), RACE))
    assert {name: rules.get("required", False) for name, rules in shown.items()} == {
        name: rules.get("required", False) for name, rules in ours.items()
    }


def test_the_shown_file_passes_only_inputs_that_ours_declares_and_all_that_it_requires() -> None:
    given = set(caller()["jobs"]["race"]["with"])
    declared = RACE["on"]["workflow_call"]["inputs"]
    assert given <= set(declared)
    assert {name for name, rules in declared.items() if rules.get("required")} <= given


def test_the_listed_permissions_are_those_that_the_jobs_ask_for() -> None:
    listed = set(re.findall(r"^\| `([a-z-]+: (?:read|write))` \|", PAGE, flags=re.MULTILINE))
    jobs = [permissions(load("triage-publish.yml"), "publish"), permissions(load("triage-command.yml"), "respond")]
    asked = {f"{scope.replace('_', '-')}: {level}" for granted in jobs for scope, level in granted.items()}
    assert listed == asked


def test_the_listed_variables_are_those_that_the_workflows_read() -> None:
    listed = set(re.findall(r"^\| `(TRIAGE_[A-Z_]+)` \|", PAGE, flags=re.MULTILINE))
    folder = Path(__file__).parents[2] / ".github" / "workflows"
    read = {name for path in folder.glob("*.yml") for name in re.findall(r"vars\.([A-Z_]+)", path.read_text())}
    assert listed == read


def test_the_listed_inputs_and_outputs_are_those_of_the_action() -> None:
    action = yaml.safe_load((Path(__file__).parents[2] / "action.yml").read_text(encoding="utf-8"))
    section = PAGE.partition("### Inputs and outputs")[2].partition("\n## ")[0]
    cells = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    listed = [name for cell in cells for name in re.findall(r"`([a-z-]+)`", cell)]
    assert sorted(listed) == sorted([*action["inputs"], *action["outputs"]])


def test_the_shown_file_runs_the_suite_that_it_names(hub: Hub, tmp_path: Path) -> None:
    """As the page shows it, but for the place that it calls, which is another repository there."""
    origin = Origin(tmp_path / "origin")
    shown = re.sub(r"uses: OWNER/triage-bot/(\S+)@SHA.*", r"uses: ./\1", caller_text())
    head = origin.commit("main", {"tests/gpu/test_x.py": "def test_x():\n    assert 1 == 2\n"})
    pull = hub.world.add_pull(9, head)
    run = Desk(hub.world, tmp_path).finished(b"", head_sha=head)
    event = events.pull_request(hub.world, pull)
    trigger = act.Trigger(shown, "pull_request", event, run.id, "octocat")
    done = act.run(hub, origin, tmp_path / "act", trigger, READY)
    left = [it for it in hub.world.artifacts.values() if it.run == run.id and it.blob]
    assert [it.name for it in left] == ["triage"], done.log[-3000:]
    (tmp_path / "artifact.zip").write_bytes(left[0].blob)
    (told,) = artifact.load(tmp_path / "artifact.zip")
    assert [finding.test for finding in told.findings] == ["tests/gpu/test_x.py::test_x"]
