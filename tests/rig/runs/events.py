"""Events as GitHub delivers them, made from what the fake knows."""

from __future__ import annotations

from typing import Any

from tests.rig.fakehub import views
from tests.rig.fakehub.world import Comment, Pull, Run, World

Event = dict[str, Any]


def _event(world: World, sender: str, **fields: Any) -> Event:
    return {"repository": views.repository(world, world.repository), "sender": views.user(sender), **fields}


def pull_request(world: World, pull: Pull, action: str = "synchronize") -> Event:
    return _event(world, pull.author, action=action, number=pull.number, pull_request=views.pull(world, pull))


def push(world: World, branch: str, sha: str) -> Event:
    return _event(world, "maintainer", ref=f"refs/heads/{branch}", after=sha, before="0" * 40)


def workflow_dispatch(world: World, inputs: dict[str, Any], actor: str = "github-actions[bot]") -> Event:
    return _event(world, actor, ref=f"refs/heads/{world.default_branch}", inputs=inputs, workflow="gpu-race.yml")


def workflow_run(world: World, run: Run, action: str = "completed") -> Event:
    return _event(world, run.actor, action=action, workflow_run=views.run(world, run))


def issue_comment(world: World, comment: Comment, action: str = "created") -> Event:
    issue = views.issue(world, world.pulls[comment.issue])
    shown = views.comment(world, comment)
    return _event(world, comment.author, action=action, issue=issue, comment=shown)
