"""Comments, reactions and labels."""

from __future__ import annotations

from typing import Any

from tests.rig.fakehub import rules, views
from tests.rig.fakehub.exchange import Ask, Refused, Reply, Routes, found, not_found
from tests.rig.fakehub.world import Comment, Label, Pull, World


def issue_of(world: World, ask: Ask) -> Pull:
    return found(world.pulls, int(ask.args["issue_number"]))


def comment_of(world: World, ask: Ask) -> Comment:
    return found(world.comments, int(ask.args["comment_id"]))


def get_issue(world: World, ask: Ask) -> Reply:
    return Reply(200, views.issue(world, issue_of(world, ask)))


def list_comments(world: World, ask: Ask) -> Reply:
    comments = world.comments_of(issue_of(world, ask).number)
    since = ask.query.get("since", "")
    shown = [views.comment(world, comment) for comment in comments if comment.updated_at >= since]
    return Reply(200, shown, listing="")


def create_comment(world: World, ask: Ask) -> Reply:
    pull = issue_of(world, ask)
    rules.body_fits("IssueComment", ask.body["body"])
    return Reply(201, views.comment(world, world.add_comment(pull.number, ask.token.actor, ask.body["body"])))


def get_comment(world: World, ask: Ask) -> Reply:
    return Reply(200, views.comment(world, comment_of(world, ask)))


def changeable(world: World, ask: Ask) -> Comment:
    """The comment, if this token may change it: its author and writers may, and an app may change what others wrote."""
    comment = comment_of(world, ask)
    author, app = comment.author == ask.token.actor, ask.token.actor.endswith("[bot]")
    if not (author or app or world.permissions.get(ask.token.actor) in ("write", "maintain", "admin")):
        raise Refused(403, "Must have admin rights to Repository.")
    return comment


def edit_comment(world: World, ask: Ask) -> Reply:
    comment = changeable(world, ask)
    rules.body_fits("IssueComment", ask.body["body"])
    comment.body, comment.updated_at = ask.body["body"], world.now()
    return Reply(200, views.comment(world, comment))


def delete_comment(world: World, ask: Ask) -> Reply:
    del world.comments[changeable(world, ask).id]
    return Reply(204)


def react(world: World, ask: Ask) -> Reply:
    comment = comment_of(world, ask)
    given = (ask.token.actor, ask.body["content"])
    status = 200 if given in comment.reactions else 201
    if status == 201:
        comment.reactions.append(given)
    return Reply(status, views.reaction(comment.id * 10 + comment.reactions.index(given), *given, world.now()))


def list_repository_labels(world: World, ask: Ask) -> Reply:
    return Reply(200, [views.label(world, label) for label in world.labels.values()], listing="")


def create_label(world: World, ask: Ask) -> Reply:
    name, color = ask.body["name"], ask.body.get("color", "ededed")
    description = ask.body.get("description", "")
    rules.label_is_new(name, color, description, set(world.labels))
    world.labels[name] = Label(name, color, description)
    return Reply(201, views.label(world, world.labels[name]))


def get_label(world: World, ask: Ask) -> Reply:
    return Reply(200, views.label(world, found(world.labels, ask.args["name"])))


def shown_labels(world: World, pull: Pull) -> list[dict[str, Any]]:
    return [views.label(world, world.labels[name]) for name in pull.labels]


def list_labels(world: World, ask: Ask) -> Reply:
    return Reply(200, shown_labels(world, issue_of(world, ask)), listing="")


def names_in(body: Any) -> list[str]:
    labels = body.get("labels", []) if isinstance(body, dict) else body
    return [label["name"] if isinstance(label, dict) else label for label in labels]


def put_on(world: World, pull: Pull, names: list[str]) -> Reply:
    for name in names:
        world.labels.setdefault(name, Label(name))  # GitHub makes a grey label of a name that it does not know
        if name not in pull.labels:
            pull.labels.append(name)
    return Reply(200, shown_labels(world, pull))


def add_labels(world: World, ask: Ask) -> Reply:
    return put_on(world, issue_of(world, ask), names_in(ask.body))


def set_labels(world: World, ask: Ask) -> Reply:
    pull = issue_of(world, ask)
    pull.labels.clear()
    return put_on(world, pull, names_in(ask.body))


def remove_label(world: World, ask: Ask) -> Reply:
    pull = issue_of(world, ask)
    if ask.args["name"] not in pull.labels:
        raise not_found()
    pull.labels.remove(ask.args["name"])
    return Reply(200, shown_labels(world, pull))


ISSUE = "/repos/{owner}/{repo}/issues/{issue_number}"
COMMENT = "/repos/{owner}/{repo}/issues/comments/{comment_id}"
ROUTES: Routes = {
    ("GET", ISSUE): get_issue,
    ("GET", f"{ISSUE}/comments"): list_comments,
    ("POST", f"{ISSUE}/comments"): create_comment,
    ("GET", COMMENT): get_comment,
    ("PATCH", COMMENT): edit_comment,
    ("DELETE", COMMENT): delete_comment,
    ("POST", f"{COMMENT}/reactions"): react,
    ("GET", f"{ISSUE}/labels"): list_labels,
    ("POST", f"{ISSUE}/labels"): add_labels,
    ("PUT", f"{ISSUE}/labels"): set_labels,
    ("DELETE", f"{ISSUE}/labels/{{name}}"): remove_label,
    ("GET", "/repos/{owner}/{repo}/labels"): list_repository_labels,
    ("POST", "/repos/{owner}/{repo}/labels"): create_label,
    ("GET", "/repos/{owner}/{repo}/labels/{name}"): get_label,
}
