"""What an attacker or a bad day can do to publishing and responding, against the fake."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.rig.conftest import FORK, HEAD
from tests.rig.fakehub import rules
from tests.rig.fakehub.faults import Kind
from tests.rig.fakehub.server import Hub
from tests.rig.fakehub.world import BOT, Comment, Token, World
from tests.rig.runs.command import Desk, zipped
from tests.rig.runs.page import Page
from tests.rig.runs.workflows import load
from tests.samples import LEAK, ORDERING, triage
from triage_bot.core.results import Failure

TAGS = {
    "a",
    "br",
    "code",
    "details",
    "h2",
    "h3",
    "li",
    "p",
    "pre",
    "strong",
    "sub",
    "summary",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "ul",
}
"""What a comment is made of."""
MARKER = f"<!-- triage-bot v1 sha={HEAD} run=1 attempt=1 since=2026-01-01T00:00:00Z -->"


@pytest.fixture
def desk(hub: Hub, tmp_path: Path) -> Desk:
    hub.world.workflows["gpu-race.yml"] = load("gpu-race.yml")
    return Desk(hub.world, tmp_path)


def ours(world: World, number: int = 7) -> list[Comment]:
    return [it for it in world.comments_of(number) if it.author == BOT]


def writes(hub: Hub, mark: int = 0) -> list[str]:
    return [str(call) for call in hub.since(mark) if call.writes]


HOSTILE = {
    "mention": "test_x[@acme/everyone]",
    "html": 'test_x[<img src=x onerror="alert(1)">]',
    "table": "test_x[a | b |\n|--|--|]",
    "backticks": "test_x[``` ` ```]",
    "link": "test_x[![x](https://evil.invalid/x.png) https://evil.invalid]",
    "marker": f"test_x[{MARKER}]",
    "details": "test_x[</details></summary>]",
    "command": "test_x[\n::error::x\n::set-output name=conclusion::success]",
    "footnote": "test_x[[^1]\n\n[^1]: note]",
}


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_the_name_and_message_of_a_test_stay_text(desk: Desk, hub: Hub, name: str) -> None:
    failure = Failure("AssertionError", name, f"tests/{name}.py", 3, text=name)
    finding = replace(LEAK, test=f"tests/test_a.py::{name}", failure=failure, why=name)
    said = desk.publish(desk.finished(triage(finding, replace(ORDERING, test=name, why=name))))
    assert said.code == 0, said.err
    page = Page(ours(hub.world)[0].body)
    assert page.tags <= TAGS
    assert page.unclosed == []
    assert len(page.comments) == 1
    assert all(link.startswith("https://github.com/acme/kernels/") for link in page.links)
    # A mention is an at sign with a name right behind it; the bot puts an invisible space between.
    assert not re.search(r"@\w", page.prose)
    assert not any(line.lstrip().startswith("::") for line in (said.out + said.err).splitlines())


def test_a_marker_in_a_strangers_comment_is_not_ours(desk: Desk, hub: Hub) -> None:
    forged = hub.world.add_comment(7, "mallory", f"{MARKER}\n# All is well")
    assert desk.publish(desk.finished(triage(LEAK))).code == 0
    assert forged.body.endswith("All is well")
    assert len(ours(hub.world)) == 1


def test_another_workflows_comment_that_quotes_our_marker_further_down_is_not_ours(desk: Desk, hub: Hub) -> None:
    other = hub.world.add_comment(7, BOT, f"Coverage: 93 %\n{MARKER}\n")
    assert desk.publish(desk.finished(triage(LEAK))).code == 0
    assert other.body.startswith("Coverage")
    assert len(ours(hub.world)) == 2


def test_an_artifact_that_names_another_pull_request_is_published_where_the_event_says(desk: Desk, hub: Hub) -> None:
    hub.world.add_pull(6, "c" * 40)
    source = replace(triage(LEAK).source, repository="acme/other", sha="c" * 40, run_id=6)
    assert desk.publish(desk.finished(replace(triage(LEAK), source=source))).code == 0
    assert len(ours(hub.world, 7)) == 1
    assert ours(hub.world, 6) == []


BAD = {
    "outside": zipped({"../../triage.json": b"{}"}),
    "absolute": zipped({"/etc/triage.json": b"{}"}),
    "bomb": zipped({"triage.json": b" " * 80 * 2**20}),
    "no zip": b"PK\x03\x04 and then nothing",
    "unknown field": zipped({"triage.json": b'{"schema": "triage-bot/v1", "pull_request": 1}'}),
    "ten million findings": zipped({"triage.json": b'{"findings": [' + b"{}," * 10_000_000 + b"{}]}"}),
    "deep": zipped({"triage.json": b"[" * 100_000}),
}


@pytest.mark.parametrize("blob", BAD.values(), ids=BAD)
def test_a_hostile_artifact_ends_in_one_clear_error_and_writes_nothing(desk: Desk, hub: Hub, blob: bytes) -> None:
    said = desk.publish(desk.finished(blob))
    assert said.code == 3
    assert "Traceback" not in said.err
    assert said.err.startswith("triage-bot: ")
    assert writes(hub) == []


def test_an_older_run_that_finishes_last_changes_nothing(desk: Desk, hub: Hub) -> None:
    older, newer = desk.finished(triage(ORDERING)), desk.finished(triage(LEAK))
    desk.publish(newer)
    mark, body = len(hub.calls), ours(hub.world)[0].body
    assert desk.publish(older).code == 0
    assert writes(hub, mark) == []
    assert ours(hub.world)[0].body == body


def test_two_first_publications_at_once_leave_one_comment(desk: Desk, hub: Hub) -> None:
    run = desk.finished(triage(LEAK))

    def rival(world: World) -> None:
        """Another publisher creates its comment after we have looked and before we write."""
        world.add_comment(7, BOT, f"{MARKER.replace('run=1', f'run={run.id}')}\nrival\n")

    hub.fault(Kind.DRIFT, "GET .*/issues/7/comments", change=rival)
    assert desk.publish(run).code == 0
    (comment,) = ours(hub.world)
    assert "rival" not in comment.body
    assert comment.id == min(it.id for it in ours(hub.world))


def test_publishing_twice_writes_nothing_the_second_time(desk: Desk, hub: Hub) -> None:
    run = desk.finished(triage(LEAK, ORDERING))
    desk.publish(run)
    mark = len(hub.calls)
    assert desk.publish(run).code == 0
    assert writes(hub, mark) == []


@pytest.mark.parametrize(
    "kind", [Kind.SECONDARY_LIMIT, Kind.SECONDARY_LIMIT_RETRY_AFTER, Kind.TOO_MANY, Kind.LOST, Kind.LOST_AFTER_COMMIT]
)
@pytest.mark.parametrize("where", ["POST .*/issues/7/comments", "POST .*/check-runs", "POST .*/labels"])
def test_a_bad_day_of_the_host_neither_loses_nor_doubles_a_write(desk: Desk, hub: Hub, kind: Kind, where: str) -> None:
    hub.fault(kind, where)
    said = desk.publish(desk.finished(triage(LEAK)))
    assert said.code == 0, said.err
    assert len(ours(hub.world)) == 1
    assert len(hub.world.checks) == 1
    assert hub.world.pulls[7].labels == ["triage: cross-phase contamination"]


def test_a_missing_permission_is_named_in_the_summary_and_the_rest_is_written(desk: Desk, hub: Hub) -> None:
    hub.world.tokens["tok"] = Token({"actions": "read", "checks": "read", "contents": "read", "pull_requests": "write"})
    said = desk.publish(desk.finished(triage(LEAK)))
    assert said.code == 5
    assert "checks" in said.summary
    assert "cross-phase contamination" in said.summary
    assert len(ours(hub.world)) == 1
    assert len([call for call in hub.calls if call.path.endswith("/check-runs") and call.writes]) == 1


def test_a_thousand_failures_fit_into_one_comment(desk: Desk, hub: Hub) -> None:
    many = [replace(LEAK, test=f"tests/test_{number}.py::test_{'x' * 150}") for number in range(1_054)]
    said = desk.publish(desk.finished(triage(*many, tests=1_100, passed=46)))
    assert said.code == 0, said.err
    (comment,) = ours(hub.world)
    assert len(comment.body) <= 65_536
    assert "1,054" in comment.body or "1054" in comment.body
    assert Page(comment.body).unclosed == []


@pytest.mark.parametrize(
    "test",
    ["$(touch pwned)", "; touch pwned", "`touch pwned`", "-h", "--junit=x", "@octocat", "../../etc", "a && b"],
)
def test_what_is_no_known_test_is_refused_and_reaches_no_dispatch(desk: Desk, hub: Hub, test: str) -> None:
    desk.publish(desk.finished(triage(LEAK)))
    said = desk.comment("maintainer", f"/triage rerun {test}")
    assert said.code == 0, said.err
    assert hub.world.dispatches == []
    assert [what for _, what in list(hub.world.comments.values())[-2].reactions] == ["eyes", "confused"]


def test_the_lines_after_a_command_are_talk(desk: Desk, hub: Hub) -> None:
    desk.publish(desk.finished(triage(LEAK)))
    desk.comment("maintainer", "/triage rerun test_store_orders_after_compute_write\n; touch pwned\n$(id)")
    (dispatch,) = hub.world.dispatches
    assert dispatch["inputs"] == {"pull-request": "7", "sha": HEAD, "test": LEAK.test}


@pytest.mark.parametrize(
    ("author", "action", "reactions"),
    [("stranger", "created", []), ("maintainer", "edited", []), ("reader", "created", [])],
)
def test_who_may_not_command_gets_no_answer(
    desk: Desk, hub: Hub, author: str, action: str, reactions: list[str]
) -> None:
    hub.world.permissions["reader"] = "read"
    assert desk.comment(author, "/triage rerun", action).code == 0
    assert writes(hub) == []


@pytest.mark.parametrize("role", ["write", "maintain", "admin"])
def test_every_role_that_may_write_may_command(desk: Desk, hub: Hub, role: str) -> None:
    hub.world.permissions["someone"] = role
    desk.comment("someone", "/triage rerun")
    assert len(hub.world.dispatches) == 1


@pytest.mark.parametrize("said", ["", "--sha aaaaaaaa", "--sha " + "b" * 40, "--sha " + "A" * 40])
def test_a_fork_needs_the_full_hash_of_its_present_head(desk: Desk, hub: Hub, said: str) -> None:
    hub.world.pulls[7].head_repository = FORK
    desk.comment("maintainer", f"/triage rerun {said}")
    assert hub.world.dispatches == []


@pytest.mark.parametrize(
    "fields",
    [
        {"workflow": "other.yml"},
        {"event": "workflow_dispatch", "head_branch": "main", "title": "triage #7"},
        {"event": "workflow_dispatch", "head_branch": "main", "title": f"triage #7 @ {HEAD[:8]}"},
        {"event": "workflow_dispatch", "head_branch": "topic-7", "title": f"triage #7 @ {HEAD}"},
        {"event": "workflow_dispatch", "head_branch": "main", "title": f"triage #7 @ {'b' * 40}"},
        {"event": "issue_comment"},
        {"head_sha": "b" * 40},
        {"head_repository": FORK, "head_sha": "b" * 40},
        {"head_repository": None},
    ],
    ids=str,
)
def test_a_run_that_is_not_believed_writes_nothing(desk: Desk, hub: Hub, fields: dict[str, str]) -> None:
    said = desk.publish(desk.finished(triage(LEAK), **fields))
    assert said.code == 0, said.err
    assert "Nothing is" in said.out
    assert writes(hub) == []


def test_two_open_pull_requests_at_one_commit_write_nothing(desk: Desk, hub: Hub) -> None:
    hub.world.add_pull(6, HEAD)
    assert desk.publish(desk.finished(triage(LEAK))).code == 0
    assert writes(hub) == []


def test_an_acceptance_ends_with_the_head_that_it_was_given_for(desk: Desk, hub: Hub) -> None:
    desk.publish(desk.finished(triage(ORDERING)))
    assert desk.comment("maintainer", "/triage accept test_load_reads_after_copy known, see the plan").code == 0
    (comment,) = ours(hub.world)
    assert "known, see the plan" in comment.body
    assert [it.fields["conclusion"] for it in hub.world.checks.values()] == ["failure", "neutral"]
    hub.world.pulls[7].head_sha = "d" * 40
    desk.publish(desk.finished(triage(ORDERING), head_sha="d" * 40))
    assert "known, see the plan" not in ours(hub.world)[0].body


def test_a_dry_run_prints_the_plan_and_the_comment_and_writes_nothing(desk: Desk, hub: Hub) -> None:
    said = desk.publish(desk.finished(triage(LEAK)), "--dry-run")
    assert said.code == 0, said.err
    assert "cross-phase contamination" in said.out
    assert writes(hub) == []


def test_what_the_host_finds_too_long_ends_in_one_clear_error(
    desk: Desk, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules, "BODY_LIMIT", 200)
    said = desk.publish(desk.finished(triage(LEAK)))
    assert said.code == 5
    assert "too long" in said.err
    assert "Traceback" not in said.err


def test_a_head_that_moves_after_the_command_is_not_written_on(desk: Desk, hub: Hub) -> None:
    desk.comment("maintainer", "/triage rerun")
    (dispatch,) = hub.world.dispatches
    hub.world.pulls[7].head_sha = "d" * 40
    title = f"triage #{dispatch['inputs']['pull-request']} @ {dispatch['inputs']['sha']}"
    fields = {"event": "workflow_dispatch", "head_branch": "main", "title": title, "head_sha": hub.world.default_sha}
    mark = len(hub.calls)
    assert desk.publish(desk.finished(triage(LEAK), **fields)).code == 0
    assert writes(hub, mark) == []
