"""The action as another workflow would use it: installed from its own folder, its inputs, its outputs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.rig.fakehub.server import Hub
from tests.rig.runs import act, events
from tests.rig.runs.command import Desk
from tests.rig.runs.origin import Origin
from tests.rig.runs.stage import READY
from tests.samples import LEAK, ORDERING, triage

WORKFLOW = """
name: other
on: {workflow_run: {workflows: [gpu-race], types: [completed]}}
permissions: {actions: read, checks: write, contents: read, pull-requests: write}
jobs:
  use:
    runs-on: ubuntu-latest
    steps:
      - uses: CHECKOUT
        with: {persist-credentials: false}
      - id: bot
        uses: ./
        with:
          INPUTS
      - if: always()
        env:
          OUTPUTS: ${{ toJSON(steps.bot.outputs) }}
        run: echo "told $OUTPUTS" | tr '\\n' ' '
"""


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Origin:
    return Origin(tmp_path_factory.mktemp("action") / "origin")


def use(hub: Hub, origin: Origin, folder: Path, *inputs: str) -> act.Done:
    """The action with these inputs, after a red run on pull request 7."""
    run = Desk(hub.world, folder).finished(triage(LEAK, ORDERING))
    checkout = next(name for name in act.uses(origin.show("main", ".github/workflows/ci.yml")) if "checkout@" in name)
    text = WORKFLOW.replace("CHECKOUT", checkout).replace("INPUTS", "\n          ".join(inputs))
    event = events.workflow_run(hub.world, run)
    return act.run(hub, origin, folder / "act", act.Trigger(text, "workflow_run", event, 5, "octocat"), READY)


def told(done: act.Done) -> dict[str, str]:
    """The outputs that a later step sees."""
    line = next(line for line in done.log.splitlines() if line.strip().startswith("told {"))
    outputs: dict[str, str] = json.loads(line.strip().removeprefix("told "))
    return outputs


def test_it_installs_itself_from_its_own_folder_and_publishes(hub: Hub, origin: Origin, tmp_path: Path) -> None:
    done = use(hub, origin, tmp_path, "command: publish")
    assert done.succeeded, done.log[-3000:]
    outputs = told(done)
    assert outputs["conclusion"] == "failure"
    assert outputs["comment-url"].startswith("https://github.com/acme/kernels/pull/7#issuecomment-")
    assert (outputs["tests"], outputs["failed"], outputs["findings"]) == ("41", "2", "2")
    assert [it["verdict"] for it in json.loads(outputs["json"])["findings"]] == [
        "cross-phase-contamination",
        "ordering-bug",
    ]


def test_a_dry_run_with_parts_left_out_writes_nothing(hub: Hub, origin: Origin, tmp_path: Path) -> None:
    inputs = ("python: ${{ vars.TRIAGE_PYTHON }}", 'dry-run: "true"', 'check: "false"', 'labels: "false"')
    done = use(hub, origin, tmp_path, *inputs)
    assert done.succeeded, done.log[-3000:]
    assert [str(call) for call in hub.calls if call.writes] == []
    assert "ordering bug" in done.log


@pytest.mark.parametrize("fail_on", ["failure", "x"], ids=["what was found", "a word that is none"])
def test_it_fails_after_publishing_where_it_was_told_to(hub: Hub, origin: Origin, tmp_path: Path, fail_on: str) -> None:
    done = use(hub, origin, tmp_path, "python: ${{ vars.TRIAGE_PYTHON }}", f"fail-on: {fail_on}")
    assert not done.succeeded
    assert told(done)["conclusion"] == "failure"


def test_files_that_match_nothing_are_an_error_and_not_an_empty_result(
    hub: Hub, origin: Origin, tmp_path: Path
) -> None:
    done = use(hub, origin, tmp_path, "python: ${{ vars.TRIAGE_PYTHON }}", "files: results/**/triage.json")
    assert not done.succeeded
    assert "no file matches the input files" in done.log
    assert hub.calls == []


def test_an_unknown_command_is_refused(hub: Hub, origin: Origin, tmp_path: Path) -> None:
    done = use(hub, origin, tmp_path, "python: ${{ vars.TRIAGE_PYTHON }}", 'command: "publish; id"')
    assert not done.succeeded
    assert "command is publish, review, respond or rerun" in done.log


RERUN = """
name: other
on: {workflow_run: {workflows: [gpu-race], types: [completed]}}
permissions: {contents: read}
jobs:
  use:
    runs-on: ubuntu-latest
    steps:
      - uses: CHECKOUT
        with: {persist-credentials: false}
      - run: |
          mkdir -p suite reports
          printf 'import os\\n\\ndef test_broken():\\n    assert os.environ["GITHUB_TOKEN"]\\n' > suite/test_broken.py
          cd suite && GITHUB_TOKEN= "$RIG_PYTHON" -m pytest . --junitxml ../reports/one.xml || true
      - uses: ./
        with:
          command: rerun
          files: reports/*.xml
          suite: suite
          runtime: emulated
          trials: "5"
          python: ${{ vars.TRIAGE_PYTHON }}
      - run: cat triage.json
"""


def test_rerun_takes_reports_and_gets_no_token(hub: Hub, origin: Origin, tmp_path: Path) -> None:
    run = Desk(hub.world, tmp_path).finished(triage())
    checkout = next(name for name in act.uses(origin.show("main", ".github/workflows/ci.yml")) if "checkout@" in name)
    event = events.workflow_run(hub.world, run)
    trigger = act.Trigger(RERUN.replace("CHECKOUT", checkout), "workflow_run", event, 5, "octocat")
    done = act.run(hub, origin, tmp_path / "act", trigger, READY)
    assert done.succeeded, done.log[-3000:]
    # With the token in its environment the test would pass, and nothing could be found out.
    assert '"verdict": "broken"' in done.log or '"verdict":"broken"' in done.log, done.log[-3000:]
    assert hub.calls == []
