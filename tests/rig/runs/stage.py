"""Plays GitHub Actions: an event starts the workflows that listen to it, and what they finish starts the next ones.

Where a workflow file comes from is what the security model rests on, so it is as on GitHub: a pull request runs the
files of its own commit, everything else those of the default branch.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.rig.fakehub.server import Call, Hub
from tests.rig.fakehub.world import Comment, Pull, Run
from tests.rig.runs import act, events
from tests.rig.runs.expressions import render
from tests.rig.runs.guard import refused_by_guard
from tests.rig.runs.origin import Origin
from tests.rig.runs.workflows import contexts, jobs, parse

READY = {"TRIAGE_PYTHON": sys.executable, "TRIAGE_PUBLISH_PYTHON": sys.executable, "TRIAGE_RUNTIME": "emulated"}
FILES = ("gpu-race.yml", "triage-publish.yml", "triage-command.yml")


@dataclass
class Scene:
    """One workflow that ran, or did not."""

    workflow: str
    event: str
    ran: bool
    refused: str | None
    """What the guard of the GPU runner said, where it ended the job."""
    done: act.Done | None
    calls: list[Call]
    """What it asked the API."""
    run: Run

    def __str__(self) -> str:
        how = f"refused: {self.refused}" if self.refused else "ran" if self.ran else "no job"
        return f"{self.workflow} on {self.event}: {how}, {self.run.conclusion}"


@dataclass
class Stage:
    """The repository, its fake, and every workflow that ran so far."""

    hub: Hub
    origin: Origin
    folder: Path
    scenes: list[Scene] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.hub.world.default_sha = self.origin.main
        self.hub.world.workflows = {name: parse(self._main(name)) for name in FILES}

    def push(self, number: int, sha: str, *, fork: str | None = None) -> list[Scene]:
        """A pull request is opened with this head, or pushed to."""
        world = self.hub.world
        if number in world.pulls:
            pull = world.pulls[number]
            pull.head_sha, pull.files = sha, self.origin.patches(sha)
        else:
            pull = world.add_pull(number, sha, fork=fork, files=self.origin.patches(sha))
        workflow = self.origin.show(sha, ".github/workflows/gpu-race.yml")
        return self._race(workflow, "pull_request", events.pull_request(world, pull), pull)

    def comment(self, number: int, author: str, body: str, action: str = "created") -> tuple[Comment, list[Scene]]:
        """Somebody comments; what that starts, and what that starts in turn."""
        world = self.hub.world
        comment = world.add_comment(number, author, body)
        known = len(world.dispatches)
        event = events.issue_comment(world, comment, action)
        scenes = [self._play("triage-command.yml", self._main("triage-command.yml"), "issue_comment", event)]
        for dispatch in world.dispatches[known:]:
            scenes += self.dispatched(dispatch["inputs"], dispatch["actor"])
        return comment, scenes

    def dispatched(self, inputs: dict[str, Any], actor: str) -> list[Scene]:
        """A dispatch of the race workflow on the default branch; the caller sees to it that it was accepted."""
        declared = self.hub.world.workflows["gpu-race.yml"]["on"]["workflow_dispatch"]["inputs"]
        inputs = {**{name: rules["default"] for name, rules in declared.items() if "default" in rules}, **inputs}
        event = events.workflow_dispatch(self.hub.world, inputs, actor)
        return self._race(self._main("gpu-race.yml"), "workflow_dispatch", event, None)

    def publish(self, run: Run) -> Scene:
        """What follows on a finished run of the race workflow."""
        event = events.workflow_run(self.hub.world, run)
        return self._play("triage-publish.yml", self._main("triage-publish.yml"), "workflow_run", event)

    def _race(self, workflow: str, event_name: str, event: dict[str, Any], pull: Pull | None) -> list[Scene]:
        race = self._play("gpu-race.yml", workflow, event_name, event, pull)
        return [race, self.publish(race.run)]

    def _main(self, name: str) -> str:
        return self.origin.show("main", f".github/workflows/{name}")

    def _play(
        self, name: str, workflow: str, event_name: str, event: dict[str, Any], pull: Pull | None = None
    ) -> Scene:
        world, text = self.hub.world, parse(workflow)
        title = render(text.get("run-name", ""), contexts(event_name, event)) or (pull.title if pull else name)
        run = world.add_run(
            workflow=name,
            event=event_name,
            head_sha=pull.head_sha if pull else world.default_sha,
            head_branch=pull.head_branch if pull else world.default_branch,
            head_repository=pull.head_repository if pull else world.repository,
            title=title,
            conclusion=None,
            actor=event["sender"]["login"],
        )
        wanted = jobs(text, event_name, event)
        refused = refused_by_guard(text, wanted, event_name, event)
        mark = len(self.hub.calls)
        done = self._act(workflow, event_name, event, run) if wanted and not refused else None
        run.conclusion = "failure" if refused else "skipped" if not done else "success" if done.succeeded else "failure"
        calls = self.hub.calls[mark:]
        scene = Scene(name, event_name, done is not None, refused, done, calls, run)
        self.scenes.append(scene)
        return scene

    def _act(self, workflow: str, event_name: str, event: dict[str, Any], run: Run) -> act.Done:
        folder = self.folder / f"{run.id}-{run.workflow.removesuffix('.yml')}"
        trigger = act.Trigger(workflow, event_name, event, run.id, run.actor)
        return act.run(self.hub, self.origin, folder, trigger, READY)
