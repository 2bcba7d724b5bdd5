"""The bot's own client against the fake: what it asks, how often, and what it does on a bad day."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.rig.fakehub.faults import Kind
from tests.rig.fakehub.server import Call, Hub
from tests.rig.fakehub.world import BOT, Comment, Run, Token, World
from tests.rig.runs import events
from tests.samples import LEAK, ORDERING, triage
from triage_bot.adapters import github, github_event, wire
from triage_bot.adapters.patience import Patience
from triage_bot.core import publication as plan
from triage_bot.core.check import Annotation, CheckRun
from triage_bot.core.findings import Triage
from triage_bot.core.host import Home
from triage_bot.core.labels import Label
from triage_bot.core.standing import Conclusion
from triage_bot.errors import CodeHostError, PermissionRefusedError, UnreadableInputError
from triage_bot.workflows.office import Office
from triage_bot.workflows.publish import publish

HEAD = "a" * 40
HOME = Home("acme/kernels", "main")
PATIENT = Patience(tries=3, pause=0.01, longest=5, stumble=0.01)
LIMITS = (Kind.SECONDARY_LIMIT, Kind.SECONDARY_LIMIT_RETRY_AFTER, Kind.TOO_MANY)
CHECK = CheckRun(HEAD, Conclusion.NEUTRAL, "title", "summary", ())


@pytest.fixture
def forge(hub: Hub) -> github.GitHubForge:
    return github.connect(hub.world.base_url, "tok", "acme/kernels", PATIENT, 0)


def zipped(result: Triage, name: str = "triage.json") -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, wire.write(result))
    return data.getvalue()


def finished(world: World, result: Triage) -> Run:
    run = world.add_run(
        workflow="gpu-race.yml",
        event="pull_request",
        head_sha=HEAD,
        head_branch="topic-7",
        head_repository="acme/kernels",
        title="A change",
        conclusion="failure",
    )
    world.add_artifact(run.id, "triage", zipped(result))
    return run


def published(forge: github.GitHubForge, hub: Hub, run: Run) -> list[Call]:
    """The calls of one publish, without those for the artifact."""
    mark = len(hub.calls)
    event = events.workflow_run(hub.world, run)
    fact = github_event.finished_run("workflow_run", event, github_event.Job(0, 0, "", ""))
    publish(Office(forge, HOME), fact, lambda: forge.triages(run.id))
    return [call for call in hub.since(mark) if "/artifacts" not in call.path]


def ours(world: World) -> list[Comment]:
    return [comment for comment in world.comments_of(7) if comment.author == BOT]


def test_a_first_publish_takes_12_requests_and_a_repeated_one_5_without_a_write(
    forge: github.GitHubForge, hub: Hub
) -> None:
    run = finished(hub.world, triage(LEAK, ORDERING))
    assert len(published(forge, hub, run)) <= 12
    again = published(forge, hub, run)
    assert len(again) <= 5
    assert not any(call.writes for call in again)
    assert len(ours(hub.world)) == 1
    assert hub.world.pulls[7].labels == ["triage: cross-phase contamination", "triage: ordering bug"]


def test_what_was_uploaded_is_read_from_the_other_host(forge: github.GitHubForge, hub: Hub) -> None:
    run = finished(hub.world, triage(LEAK))
    hub.world.add_artifact(run.id, "triage-a100", zipped(triage(ORDERING)))
    hub.world.add_artifact(run.id, "coverage", b"not ours")
    assert list(forge.triages(run.id)) == [triage(LEAK), triage(ORDERING)]


def test_of_two_attempts_the_newer_upload_counts_and_an_expired_one_is_gone(
    forge: github.GitHubForge, hub: Hub
) -> None:
    run = finished(hub.world, triage(LEAK))
    newer = hub.world.add_artifact(run.id, "triage", zipped(triage(ORDERING)))
    assert list(forge.triages(run.id)) == [triage(ORDERING)]
    newer.expired = True
    assert list(forge.triages(run.id)) == []


def test_an_artifact_that_points_out_of_itself_is_refused(forge: github.GitHubForge, hub: Hub) -> None:
    run = finished(hub.world, triage(LEAK))
    hub.world.add_artifact(run.id, "triage", zipped(triage(), "../triage.json"))
    with pytest.raises(UnreadableInputError, match="points out"):
        forge.triages(run.id)


def test_long_conversations_are_read_to_their_end(forge: github.GitHubForge, hub: Hub) -> None:
    for number in range(230):
        hub.world.add_comment(7, "octocat", f"comment {number}")
    assert [comment.body for comment in forge.comments(7)] == [f"comment {number}" for number in range(230)]


def test_what_does_not_exist_is_none(forge: github.GitHubForge) -> None:
    assert forge.pull(99) is None
    assert forge.run(99) is None
    assert forge.pulls_of_commit("f" * 40) == []
    assert list(forge.triages(99)) == []


def test_a_forks_pull_request_is_found_by_its_branch(forge: github.GitHubForge, hub: Hub) -> None:
    hub.world.add_pull(8, "b" * 40, fork="mallory/kernels")
    assert [pull.head_repository for pull in forge.pulls_of_branch("mallory/kernels", "topic-8")] == ["mallory/kernels"]
    hub.world.pulls[8].head_repository = None
    pull = forge.pull(8)
    assert pull
    assert pull.head_repository == ""
    hub.violations.clear()  # the description forbids what GitHub answers here


@pytest.mark.parametrize(("login", "may"), [("octocat", True), ("maintainer", True), ("stranger", False)])
def test_permission_is_asked_of_the_api(forge: github.GitHubForge, hub: Hub, login: str, may: bool) -> None:
    hub.world.permissions["helper"] = "triage"
    assert forge.may_write(login) is may
    assert not forge.may_write("helper")


@pytest.mark.parametrize("kind", [*LIMITS, Kind.LOST])
@pytest.mark.parametrize(
    "where", ["GET .*comments", "POST .*comments", "POST .*labels", "POST .*check-runs", "GET .*/zip"]
)
def test_weather_is_waited_out(forge: github.GitHubForge, hub: Hub, kind: Kind, where: str) -> None:
    hub.fault(kind, where, retry_after=0)
    run = finished(hub.world, triage(LEAK))
    published(forge, hub, run)
    assert len(ours(hub.world)) == 1
    assert len(hub.world.checks) == 1
    assert hub.world.pulls[7].labels == ["triage: cross-phase contamination"]


@pytest.mark.parametrize("where", ["POST .*comments", "POST .*/labels", "POST .*check-runs", "PATCH", "DELETE"])
def test_a_write_that_was_done_although_its_answer_was_lost_is_done_once(
    forge: github.GitHubForge, hub: Hub, where: str
) -> None:
    published(forge, hub, finished(hub.world, triage(ORDERING)))
    hub.world.pulls[7].head_sha = "b" * 40
    hub.fault(Kind.LOST_AFTER_COMMIT, where)
    run = finished(hub.world, triage(LEAK))
    run.head_sha = "b" * 40
    published(forge, hub, run)
    assert len(ours(hub.world)) == 1
    assert sorted(check.head_sha[0] for check in hub.world.checks.values()) == ["a", "b"]
    assert hub.world.pulls[7].labels == ["triage: cross-phase contamination"]


def test_a_first_comment_whose_answer_was_lost_is_written_once(forge: github.GitHubForge, hub: Hub) -> None:
    hub.fault(Kind.LOST_AFTER_COMMIT, "POST .*comments")
    published(forge, hub, finished(hub.world, triage(LEAK)))
    assert len(ours(hub.world)) == 1


def test_a_start_whose_answer_was_lost_is_not_repeated(forge: github.GitHubForge, hub: Hub) -> None:
    hub.world.workflows["gpu-race.yml"] = {"on": {"workflow_dispatch": {"inputs": {"sha": {}}}}}
    hub.fault(Kind.LOST_AFTER_COMMIT, "POST .*dispatches")
    with pytest.raises(CodeHostError) as refusal:
        forge.apply(plan.Dispatch("gpu-race.yml", "main", (("sha", HEAD),)))
    assert "Actions tab" in refusal.value.advice
    assert len(hub.world.dispatches) == 1


def test_a_list_that_drifts_between_pages_cannot_make_a_second_comment(forge: github.GitHubForge, hub: Hub) -> None:
    for number in range(100):
        hub.world.add_comment(7, "octocat", f"comment {number}")
    run = finished(hub.world, triage(LEAK))
    published(forge, hub, run)
    hub.fault(Kind.DRIFT, "GET .*comments", change=lambda world: world.comments.pop(min(world.comments)) and None)
    published(forge, hub, run)
    assert len(ours(hub.world)) == 1


WRITES: dict[str, tuple[Callable[[World], plan.Write], str]] = {
    "pull_requests": (lambda world: plan.CreateComment(7, "text"), "`pull-requests: write`"),
    "checks": (lambda world: plan.CreateCheck(CHECK), "`checks: write`"),
    "actions": (lambda world: plan.Dispatch("gpu-race.yml", "main", ()), "`actions: write`"),
}


@pytest.mark.parametrize("scope", WRITES)
def test_a_missing_permission_is_named(forge: github.GitHubForge, hub: Hub, scope: str) -> None:
    held = {"actions": "write", "checks": "write", "pull_requests": "write", "contents": "read"}
    hub.world.tokens["tok"] = Token({**held, scope: "read"})
    write, named = WRITES[scope]
    with pytest.raises(PermissionRefusedError) as refusal:
        forge.apply(write(hub.world))
    assert named in refusal.value.advice or scope.replace("_", "-") in refusal.value.advice


def test_an_unknown_token_says_so(hub: Hub) -> None:
    forge = github.connect(hub.world.base_url, "wrong", "acme/kernels", PATIENT, 0)
    with pytest.raises(CodeHostError, match="does not know the token"):
        forge.comments(7)


def test_a_host_that_is_away_ends_in_one_error() -> None:
    forge = github.connect("http://127.0.0.1:9", "tok", "acme/kernels", PATIENT, 0)
    with pytest.raises(CodeHostError, match="no answer"):
        forge.comments(7)


def test_what_is_too_long_is_an_error_and_not_asked_again(forge: github.GitHubForge, hub: Hub) -> None:
    with pytest.raises(CodeHostError, match="too long"):
        forge.apply(plan.CreateComment(7, "x" * 65_537))
    assert len(hub.calls) == 1


def test_annotations_go_out_fifty_a_request(forge: github.GitHubForge, hub: Hub) -> None:
    notes = tuple(Annotation("tests/a.py", line, "notice", "title", "message") for line in range(1, 101))
    forge.apply(plan.CreateCheck(replace(CHECK, annotations=notes)))
    assert [call.method for call in hub.calls] == ["POST", "PATCH"]
    assert len(next(iter(hub.world.checks.values())).annotations) == 100


def test_what_is_gone_already_need_not_be_taken_away(forge: github.GitHubForge) -> None:
    forge.apply(plan.DeleteComment(99))
    forge.apply(plan.RemoveLabel(7, "triage: flaky"))


def test_a_label_that_somebody_made_in_the_meantime_is_as_good(forge: github.GitHubForge, hub: Hub) -> None:
    write = plan.CreateLabel(Label("triage: flaky", "fbca04", "Fails sometimes"))
    forge.apply(write)
    forge.apply(write)
    assert list(hub.world.labels) == ["triage: flaky"]
