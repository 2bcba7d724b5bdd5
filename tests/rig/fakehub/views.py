"""What the fake GitHub says of the things it knows. Only what a reader may look at; the description fills the rest."""

from __future__ import annotations

import zlib
from typing import Any

from tests.rig.fakehub.world import Artifact, Check, Comment, Label, Pull, Review, Run, World

View = dict[str, Any]


def user(login: str) -> View:
    bot = login.endswith("[bot]")
    return {
        "login": login,
        "id": zlib.crc32(login.encode()),
        "node_id": f"U_{login}",
        "type": "Bot" if bot else "User",
        "url": f"https://api.github.invalid/users/{login}",
        "html_url": f"https://github.com/{login}",
        "site_admin": False,
    }


def repository(world: World, name: str) -> View:
    owner, _, short = name.partition("/")
    return {
        "id": zlib.crc32(name.encode()),
        "name": short,
        "full_name": name,
        "owner": user(owner),
        "private": world.private,
        "fork": name != world.repository,
        "default_branch": world.default_branch,
        "url": f"{world.base_url}/repos/{name}",
        "html_url": f"https://github.com/{name}",
    }


def comment(world: World, it: Comment) -> View:
    return {
        "id": it.id,
        "node_id": f"IC_{it.id}",
        "body": it.body,
        "user": user(it.author),
        "created_at": it.created_at,
        "updated_at": it.updated_at,
        "author_association": "MEMBER" if it.author in world.permissions else "NONE",
        "url": f"{world.base_url}/repos/{world.repository}/issues/comments/{it.id}",
        "issue_url": f"{world.base_url}/repos/{world.repository}/issues/{it.issue}",
        "html_url": f"https://github.com/{world.repository}/pull/{it.issue}#issuecomment-{it.id}",
    }


def reaction(number: int, author: str, content: str, at: str) -> View:
    return {"id": number, "node_id": f"R_{number}", "user": user(author), "content": content, "created_at": at}


def label(world: World, it: Label) -> View:
    return {
        "id": zlib.crc32(it.name.encode()),
        "node_id": f"LA_{it.name}",
        "name": it.name,
        "color": it.color,
        "description": it.description,
        "default": False,
        "url": f"{world.base_url}/repos/{world.repository}/labels/{it.name}",
    }


def pull(world: World, it: Pull) -> View:
    base = f"{world.base_url}/repos/{world.repository}"
    head_owner = (it.head_repository or "ghost/gone").split("/")[0]
    return {
        "id": it.number * 1000,
        "number": it.number,
        "state": it.state,
        "title": it.title,
        "user": user(it.author),
        "labels": [label(world, world.labels.get(name, Label(name))) for name in it.labels],
        "url": f"{base}/pulls/{it.number}",
        "issue_url": f"{base}/issues/{it.number}",
        "comments_url": f"{base}/issues/{it.number}/comments",
        "review_comments_url": f"{base}/pulls/{it.number}/comments",
        "commits_url": f"{base}/pulls/{it.number}/commits",
        "statuses_url": f"{base}/statuses/{it.head_sha}",
        "html_url": f"https://github.com/{world.repository}/pull/{it.number}",
        "draft": False,
        "merged": False,
        "locked": False,
        "head": {
            "label": f"{head_owner}:{it.head_branch}",
            "ref": it.head_branch,
            "sha": it.head_sha,
            "user": user(head_owner),
            "repo": repository(world, it.head_repository) if it.head_repository else None,
        },
        "base": {
            "label": f"{world.repository.split('/')[0]}:{world.default_branch}",
            "ref": world.default_branch,
            "sha": world.default_sha,
            "user": user(world.repository.split("/")[0]),
            "repo": repository(world, world.repository),
        },
    }


def issue(world: World, it: Pull) -> View:
    shown = pull(world, it)
    keys = ("number", "state", "title", "user", "labels", "html_url", "comments_url", "locked")
    return {
        **{key: shown[key] for key in keys},
        "id": it.number * 1000 + 1,
        "url": shown["issue_url"],
        "labels_url": shown["issue_url"] + "/labels{/name}",
        "repository_url": f"{world.base_url}/repos/{world.repository}",
        "pull_request": {"url": shown["url"], "html_url": shown["html_url"], "diff_url": None, "patch_url": None},
        "author_association": "MEMBER",
        "comments": len(world.comments_of(it.number)),
    }


def changed_file(world: World, it: Pull, path: str) -> View:
    patch = it.files[path]
    added = sum(line.startswith("+") for line in patch.splitlines())
    removed = sum(line.startswith("-") for line in patch.splitlines())
    counts = {"additions": added, "deletions": removed, "changes": added + removed}
    return {"filename": path, "status": "modified", "patch": patch, "sha": it.head_sha, **counts}


def commit(world: World, sha: str) -> View:
    by = user("maintainer")
    url = f"{world.base_url}/repos/{world.repository}/commits/{sha}"
    return {"sha": sha, "url": url, "author": by, "committer": by}


def check(world: World, it: Check) -> View:
    output = it.fields.get("output") or {}
    url = f"{world.base_url}/repos/{world.repository}/check-runs/{it.id}"
    return {
        "id": it.id,
        "node_id": f"CR_{it.id}",
        "name": it.name,
        "head_sha": it.head_sha,
        "external_id": it.fields.get("external_id", ""),
        "url": url,
        "html_url": f"https://github.com/{world.repository}/runs/{it.id}",
        "details_url": it.fields.get("details_url"),
        "status": it.fields.get("status", "queued"),
        "conclusion": it.fields.get("conclusion"),
        "started_at": it.fields.get("started_at"),
        "completed_at": it.fields.get("completed_at"),
        "output": {
            **{key: output.get(key) for key in ("title", "summary", "text")},
            "annotations_count": len(it.annotations),
            "annotations_url": f"{url}/annotations",
        },
        "check_suite": {"id": it.id + 1},
        "app": {"id": 15368, "slug": it.app, "name": it.app, "owner": user("github")},
        "pull_requests": [],
    }


def review(world: World, it: Review) -> View:
    url = f"https://github.com/{world.repository}/pull/{it.pull}#pullrequestreview-{it.id}"
    pull_url = f"{world.base_url}/repos/{world.repository}/pulls/{it.pull}"
    states = {"COMMENT": "COMMENTED", "APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED"}
    return {
        "id": it.id,
        "user": user(it.author),
        "body": it.body,
        "state": states.get(it.event, "PENDING"),
        "commit_id": it.commit_id,
        "html_url": url,
        "pull_request_url": pull_url,
        "_links": {"html": {"href": url}, "pull_request": {"href": pull_url}},
        "author_association": "NONE",
    }


def run(world: World, it: Run) -> View:
    url = f"{world.base_url}/repos/{world.repository}/actions/runs/{it.id}"
    head = it.head_repository
    return {
        "id": it.id,
        "name": it.workflow.removesuffix(".yml"),
        "path": f".github/workflows/{it.workflow}",
        "workflow_id": zlib.crc32(it.workflow.encode()),
        "event": it.event,
        "status": "completed" if it.conclusion else "in_progress",
        "conclusion": it.conclusion,
        "head_sha": it.head_sha,
        "head_branch": it.head_branch,
        "head_repository": repository(world, head) if head else None,
        "repository": repository(world, world.repository),
        "display_title": it.title,
        "run_attempt": it.attempt,
        "run_number": it.id - 1000,
        "actor": user(it.actor),
        "triggering_actor": user(it.actor),
        "pull_requests": [
            {
                "id": found.number * 1000,
                "number": found.number,
                "url": f"{world.base_url}/repos/{world.repository}/pulls/{found.number}",
            }
            for found in world.pulls.values()
            if head == world.repository and found.head_sha == it.head_sha and found.head_repository == head
        ],
        "created_at": it.created_at,
        "updated_at": it.created_at,
        "run_started_at": it.created_at,
        "url": url,
        "html_url": f"https://github.com/{world.repository}/actions/runs/{it.id}",
        "artifacts_url": f"{url}/artifacts",
        "jobs_url": f"{url}/jobs",
    }


def artifact(world: World, it: Artifact) -> View:
    url = f"{world.base_url}/repos/{world.repository}/actions/artifacts/{it.id}"
    made_by = world.runs.get(it.run)
    return {
        "id": it.id,
        "node_id": f"A_{it.id}",
        "name": it.name,
        "size_in_bytes": len(it.blob),
        "url": url,
        "archive_download_url": f"{url}/zip",
        "expired": it.expired,
        "created_at": it.created_at,
        "updated_at": it.created_at,
        "expires_at": it.created_at,
        "workflow_run": {"id": it.run, "head_sha": made_by.head_sha if made_by else ""},
    }
