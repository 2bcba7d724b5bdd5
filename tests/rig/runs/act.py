"""Runs a workflow for real with act: no containers, no network, stand-ins for the three actions that need a service.

act ignores the filters of triggers and enforces no permissions: the gates are checked by ``workflows``, and what a
job's token may do is enforced by the fake.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.rig.fakehub.server import Hub
from tests.rig.fakehub.world import Token
from tests.rig.runs.origin import Origin
from tests.rig.runs.workflows import parse, permissions

STAND_INS = Path(__file__).parents[1] / "actions"
SHELL = Path(__file__).with_name("bin")
ACT = Path(sys.executable).with_name("act")


@dataclass(frozen=True)
class Trigger:
    """What is to run, and why."""

    workflow: str
    """The text of the file."""
    event_name: str
    event: dict[str, Any]
    run_id: int
    actor: str


@dataclass(frozen=True)
class Done:
    """A finished workflow."""

    succeeded: bool
    log: str
    """What act said, then what the steps said."""
    summary: str
    """The step summaries of all jobs, one after the other."""
    outputs: dict[str, str]
    """What steps set, the last one of a name."""
    seconds: float


def uses(text: str) -> set[str]:
    """The actions of other repositories that a workflow names."""
    steps = [step for job in yaml.safe_load(text)["jobs"].values() for step in job.get("steps", [])]
    return {step["uses"] for step in steps if "uses" in step and not step["uses"].startswith("./")}


def run(hub: Hub, origin: Origin, folder: Path, trigger: Trigger, variables: dict[str, str]) -> Done:
    """Run a workflow with a token of its own. ``folder`` is new and is where everything happens."""
    _lay_out(folder, origin, hub.world.repository, trigger)
    token = f"ghs_{hub.world.new_id()}_of_{trigger.run_id}"
    text = parse(trigger.workflow)
    hub.world.tokens[token] = Token({k: level for job in text["jobs"] for k, level in permissions(text, job).items()})
    given = {
        "GITHUB_API_URL": hub.world.base_url,
        "GITHUB_RUN_ID": str(trigger.run_id),
        "RIG_ORIGIN": str(origin.folder),
        "RIG_PYTHON": sys.executable,
        "RIG_SAID": str(folder / "said"),
        "RIG_UPLOADS": hub.world.blob_url,
    }
    # Of this process's environment a job gets what it needs to start programs and to find packages.
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME") or name.startswith("PIP_")}
    environ = {**kept, "PATH": f"{SHELL}{os.pathsep}{kept['PATH']}", "ACT_DISABLE_VERSION_CHECK": "1"}
    started = time.monotonic()
    done = subprocess.run(
        [
            *_command(folder, trigger),
            *("--secret", f"GITHUB_TOKEN={token}"),
            *(part for name, value in given.items() for part in ("--env", f"{name}={value}")),
            *(part for name, value in variables.items() for part in ("--var", f"{name}={value}")),
        ],
        env=environ,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    del hub.world.tokens[token]
    said = folder / "said"
    return _told(done, said.read_text(encoding="utf-8") if said.exists() else "", time.monotonic() - started)


def _lay_out(folder: Path, origin: Origin, repository: str, trigger: Trigger) -> None:
    folder.mkdir()
    (folder / "workflow.yml").write_text(trigger.workflow, encoding="utf-8")
    (folder / "event.json").write_text(json.dumps(trigger.event), encoding="utf-8")
    # act reads the repository's name and the commit from a git folder; the commit is the default branch's.
    work = folder / "work"
    subprocess.run(["git", "clone", "--quiet", "--no-checkout", origin.folder, work], check=True)
    # A workflow that is called is read from there as well.
    subprocess.run(["git", "-C", work, "checkout", "--quiet", "main", "--", ".github/workflows"], check=True)
    url = f"https://github.com/{repository}"
    subprocess.run(["git", "-C", work, "remote", "set-url", "origin", url], check=True)


def _command(folder: Path, trigger: Trigger) -> list[str | Path]:
    called = [path.read_text(encoding="utf-8") for path in (folder / "work").glob(".github/workflows/*.yml")]
    named = sorted({action for text in (trigger.workflow, *called) for action in uses(text)})
    actions = [(action, action.split("@")[0].split("/")[1]) for action in named]
    return [
        *(ACT, trigger.event_name, "--json", "--no-cache-server", "--no-skip-checkout"),
        *("--directory", folder / "work", "--workflows", folder / "workflow.yml"),
        *("--eventpath", folder / "event.json", "--action-cache-path", folder / "act", "--actor", trigger.actor),
        *(part for name in ("ubuntu-latest", "self-hosted") for part in ("--platform", f"{name}=-self-hosted")),
        *(part for action, name in actions for part in ("--local-repository", f"{action}={STAND_INS / name}")),
    ]


def _told(done: subprocess.CompletedProcess[str], said: str, seconds: float) -> Done:
    """From act's log, a JSON object a line: a step's file of outputs and its summary come as entries of their own."""
    lines: list[str] = []
    outputs: dict[str, str] = {}
    summaries: list[str] = []
    for line in (done.stdout + done.stderr).splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            entry = {"msg": line}
        lines.append(str(entry.get("msg", "")).rstrip("\n"))
        if entry.get("command") == "set-output":
            outputs[entry["name"]] = entry["arg"]
        if entry.get("command") == "summary":
            summaries.append(entry["content"])
    return Done(done.returncode == 0, "\n".join([*lines, said]), "\n".join(summaries), outputs, seconds)
