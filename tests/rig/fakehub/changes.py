"""The repository, its pull requests, their files and reviews, commits and check runs."""

from __future__ import annotations

import base64
from typing import Any

from tests.rig.fakehub import rules, views
from tests.rig.fakehub.exchange import Ask, Refused, Reply, Routes, found, invalid, not_found
from tests.rig.fakehub.world import Check, Pull, Review, World


def get_repository(world: World, ask: Ask) -> Reply:
    return Reply(200, views.repository(world, world.repository))


def get_permission(world: World, ask: Ask) -> Reply:
    login = ask.args["username"]
    role = world.permissions.get(login, "none" if world.private else "read")
    # ``maintain`` and ``triage`` are role names; the older field folds them.
    folded = {"maintain": "write", "triage": "read"}.get(role, role)
    return Reply(200, {"permission": folded, "role_name": role, "user": views.user(login)})


def pull_of(world: World, ask: Ask) -> Pull:
    return found(world.pulls, int(ask.args["pull_number"]))


def list_pulls(world: World, ask: Ask) -> Reply:
    state, head = ask.query.get("state", "open"), ask.query.get("head", "")
    pulls = [pull for pull in world.pulls.values() if state in ("all", pull.state)]
    if head:
        pulls = [pull for pull in pulls if head == views.pull(world, pull)["head"]["label"]]
    return Reply(200, [views.pull(world, pull) for pull in pulls], listing="")


def get_pull(world: World, ask: Ask) -> Reply:
    return Reply(200, views.pull(world, pull_of(world, ask)))


def list_files(world: World, ask: Ask) -> Reply:
    pull = pull_of(world, ask)
    return Reply(200, [views.changed_file(world, pull, path) for path in pull.files], listing="")


def list_reviews(world: World, ask: Ask) -> Reply:
    number = pull_of(world, ask).number
    reviews = [views.review(world, review) for review in world.reviews.values() if review.pull == number]
    return Reply(200, reviews, listing="")


def create_review(world: World, ask: Ask) -> Reply:
    pull, body = pull_of(world, ask), ask.body
    comments = body.get("comments", [])
    if body.get("event") in ("COMMENT", "REQUEST_CHANGES") and not body.get("body") and not comments:
        raise invalid("PullRequestReview", "body", "body can't be blank", "missing_field")
    if body.get("body"):
        rules.body_fits("PullRequestReview", body["body"])
    for comment in comments:
        rules.body_fits("PullRequestReviewComment", comment["body"])
        rules.review_comment_is_placed(pull.files, comment)
    review = Review(
        id=world.new_id(),
        pull=pull.number,
        author=ask.token.actor,
        commit_id=body.get("commit_id", pull.head_sha),
        body=body.get("body", ""),
        event=body.get("event", "PENDING"),
        comments=comments,
    )
    world.reviews[review.id] = review
    return Reply(200, views.review(world, review))


def list_review_comments(world: World, ask: Ask) -> Reply:
    number = pull_of(world, ask).number
    reviews = [review for review in world.reviews.values() if review.pull == number]
    pull_url = f"{world.base_url}/repos/{world.repository}/pulls/{number}"
    shown = [
        {
            **comment,
            "id": review.id * 100 + index,
            "user": views.user(review.author),
            "commit_id": review.commit_id,
            "pull_request_review_id": review.id,
            "pull_request_url": pull_url,
            "url": f"{world.base_url}/repos/{world.repository}/pulls/comments/{review.id * 100 + index}",
        }
        for review in reviews
        for index, comment in enumerate(review.comments)
    ]
    return Reply(200, shown, listing="")


def pulls_of_commit(world: World, ask: Ask) -> Reply:
    pulls = [pull for pull in world.pulls.values() if pull.head_sha == ask.args["commit_sha"]]
    # Of a commit that only a fork has, GitHub knows no pull request here.
    own = [pull for pull in pulls if pull.head_repository == world.repository]
    return Reply(200, [views.pull(world, pull) for pull in own], listing="")


def get_commit(world: World, ask: Ask) -> Reply:
    known = {world.default_sha, *(pull.head_sha for pull in world.pulls.values())}
    hits = [sha for sha in known if sha.startswith(ask.args["ref"])]
    if len(hits) != 1:
        raise Refused(422, f"No commit found for SHA: {ask.args['ref']}")
    return Reply(200, views.commit(world, hits[0]))


def get_contents(world: World, ask: Ask) -> Reply:
    ref = ask.query.get("ref", world.default_sha)
    text = world.contents.get((ref, ask.args["path"]))
    if text is None:
        raise not_found()
    encoded = base64.b64encode(text.encode()).decode()
    name = ask.args["path"].rsplit("/", 1)[-1]
    entry = {"type": "file", "encoding": "base64", "content": encoded, "name": name, "path": ask.args["path"]}
    return Reply(200, {**entry, "size": len(text), "sha": ref, "url": f"{world.base_url}/x"})


def compare(world: World, ask: Ask) -> Reply:
    base = views.commit(world, world.default_sha)
    counts = {"ahead_by": 1, "behind_by": 0, "total_commits": 1}
    return Reply(200, {"status": "ahead", "base_commit": base, "merge_base_commit": base, "files": [], **counts})


def list_checks(world: World, ask: Ask) -> Reply:
    checks = [check for check in world.checks.values() if check.head_sha == ask.args["ref"]]
    name = ask.query.get("check_name")
    checks = [check for check in checks if name in (None, check.name)]
    return Reply(200, [views.check(world, check) for check in checks], listing="check_runs")


def apply(check: Check, fields: dict[str, Any]) -> None:
    if fields.get("conclusion"):
        fields = {**fields, "status": "completed"}
    output = {**(check.fields.get("output") or {}), **fields.get("output", {})}
    rules.check_is_whole({**check.fields, **fields}, fields.get("output", {}))
    check.annotations.extend(output.pop("annotations", []))
    check.fields.update(fields, output=output)


def create_check(world: World, ask: Ask) -> Reply:
    check = Check(world.new_id(), ask.body["name"], ask.body["head_sha"], {})
    apply(check, ask.body)
    world.checks[check.id] = check
    return Reply(201, views.check(world, check))


def update_check(world: World, ask: Ask) -> Reply:
    check = found(world.checks, int(ask.args["check_run_id"]))
    apply(check, ask.body)
    return Reply(200, views.check(world, check))


def get_check(world: World, ask: Ask) -> Reply:
    return Reply(200, views.check(world, found(world.checks, int(ask.args["check_run_id"]))))


REPO = "/repos/{owner}/{repo}"
PULL = f"{REPO}/pulls/{{pull_number}}"
ROUTES: Routes = {
    ("GET", REPO): get_repository,
    ("GET", f"{REPO}/collaborators/{{username}}/permission"): get_permission,
    ("GET", f"{REPO}/pulls"): list_pulls,
    ("GET", PULL): get_pull,
    ("GET", f"{PULL}/files"): list_files,
    ("GET", f"{PULL}/reviews"): list_reviews,
    ("POST", f"{PULL}/reviews"): create_review,
    ("GET", f"{PULL}/comments"): list_review_comments,
    ("GET", f"{REPO}/commits/{{ref}}"): get_commit,
    ("GET", f"{REPO}/commits/{{commit_sha}}/pulls"): pulls_of_commit,
    ("GET", f"{REPO}/commits/{{ref}}/check-runs"): list_checks,
    ("POST", f"{REPO}/check-runs"): create_check,
    ("PATCH", f"{REPO}/check-runs/{{check_run_id}}"): update_check,
    ("GET", f"{REPO}/check-runs/{{check_run_id}}"): get_check,
    ("GET", f"{REPO}/contents/{{path}}"): get_contents,
    ("GET", f"{REPO}/compare/{{basehead}}"): compare,
}
