"""Workflow runs, their artifacts, and dispatches."""

from __future__ import annotations

import zlib
from typing import Any

from tests.rig.fakehub import rules, views
from tests.rig.fakehub.exchange import Ask, Refused, Reply, Routes, found
from tests.rig.fakehub.world import Run, World


def run_of(world: World, ask: Ask) -> Run:
    return found(world.runs, int(ask.args["run_id"]))


def shown_runs(world: World, ask: Ask, runs: list[Run]) -> Reply:
    wanted = {"event": "event", "branch": "head_branch", "head_sha": "head_sha", "actor": "actor"}
    for parameter, attribute in wanted.items():
        if parameter in ask.query:
            runs = [run for run in runs if getattr(run, attribute) == ask.query[parameter]]
    newest_first = sorted(runs, key=lambda run: run.id, reverse=True)
    return Reply(200, [views.run(world, run) for run in newest_first], listing="workflow_runs")


def list_runs(world: World, ask: Ask) -> Reply:
    return shown_runs(world, ask, list(world.runs.values()))


def get_run(world: World, ask: Ask) -> Reply:
    return Reply(200, views.run(world, run_of(world, ask)))


def list_jobs(world: World, ask: Ask) -> Reply:
    run_of(world, ask)
    return Reply(200, [], listing="jobs")


def list_run_artifacts(world: World, ask: Ask) -> Reply:
    run = run_of(world, ask)
    name = ask.query.get("name")
    held = [it for it in world.artifacts.values() if it.run == run.id and name in (None, it.name)]
    newest_first = sorted(held, key=lambda it: it.id, reverse=True)
    return Reply(200, [views.artifact(world, it) for it in newest_first], listing="artifacts")


def get_artifact(world: World, ask: Ask) -> Reply:
    return Reply(200, views.artifact(world, found(world.artifacts, int(ask.args["artifact_id"]))))


def download_artifact(world: World, ask: Ask) -> Reply:
    artifact = found(world.artifacts, int(ask.args["artifact_id"]))
    if artifact.expired:
        raise Refused(410, "Artifact has expired")
    return Reply(302, headers={"Location": f"{world.blob_url}/{artifact.id}.zip"})


def workflow_of(world: World, ask: Ask) -> tuple[str, dict[str, Any]]:
    """File name and text; a workflow is called by its file name or its number."""
    wanted = ask.args["workflow_id"]
    by_number = {str(zlib.crc32(name.encode())): name for name in world.workflows}
    name = by_number.get(wanted, wanted)
    return name, found(world.workflows, name)


def get_workflow(world: World, ask: Ask) -> Reply:
    name, text = workflow_of(world, ask)
    number = zlib.crc32(name.encode())
    url = f"{world.base_url}/repos/{world.repository}/actions/workflows/{number}"
    shown = {"id": number, "name": text.get("name", name), "path": f".github/workflows/{name}", "state": "active"}
    return Reply(200, {**shown, "node_id": f"W_{number}", "url": url})


def list_workflow_runs(world: World, ask: Ask) -> Reply:
    name, _ = workflow_of(world, ask)
    return shown_runs(world, ask, [run for run in world.runs.values() if run.workflow == name])


def dispatch(world: World, ask: Ask) -> Reply:
    name, text = workflow_of(world, ask)
    inputs = ask.body.get("inputs", {})
    if ask.body["ref"] != world.default_branch:
        raise Refused(422, f"No ref found for: {ask.body['ref']}")
    rules.dispatch_fits(text, inputs)
    world.dispatches.append({"workflow": name, "ref": ask.body["ref"], "inputs": inputs, "actor": ask.token.actor})
    if ask.body.get("return_run_details"):
        number = world.new_id()
        url = f"{world.base_url}/repos/{world.repository}/actions/runs/{number}"
        return Reply(200, {"workflow_run_id": number, "run_url": url, "html_url": url})
    return Reply(204)


ACTIONS = "/repos/{owner}/{repo}/actions"
WORKFLOW = f"{ACTIONS}/workflows/{{workflow_id}}"
ROUTES: Routes = {
    ("GET", f"{ACTIONS}/runs"): list_runs,
    ("GET", f"{ACTIONS}/runs/{{run_id}}"): get_run,
    ("GET", f"{ACTIONS}/runs/{{run_id}}/jobs"): list_jobs,
    ("GET", f"{ACTIONS}/runs/{{run_id}}/artifacts"): list_run_artifacts,
    ("GET", f"{ACTIONS}/artifacts/{{artifact_id}}"): get_artifact,
    ("GET", f"{ACTIONS}/artifacts/{{artifact_id}}/{{archive_format}}"): download_artifact,
    ("GET", WORKFLOW): get_workflow,
    ("GET", f"{WORKFLOW}/runs"): list_workflow_runs,
    ("POST", f"{WORKFLOW}/dispatches"): dispatch,
}
