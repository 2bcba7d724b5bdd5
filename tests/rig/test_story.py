"""The whole story by act: what is true after each of its acts."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.rig import story as acts
from tests.rig.fakehub.server import Call, serve
from tests.rig.fakehub.world import BOT, Check, Comment, World
from tests.rig.runs import leaky
from tests.rig.runs.origin import Origin
from tests.rig.runs.stage import Scene, Stage
from tests.rig.story import ACTS, EVIL, FORKED, OWN, Story

MARKER = "<!-- triage-bot v1 "


@dataclass(frozen=True)
class After:
    """The world as an act left it."""

    scenes: list[Scene]
    world: World
    story: Story

    def ours(self, number: int) -> list[Comment]:
        return [it for it in self.world.comments_of(number) if it.author == BOT and it.body.startswith(MARKER)]

    def said(self, number: int) -> list[str]:
        return [it.body for it in self.world.comments_of(number) if it.author == BOT]

    def labels(self, number: int) -> list[str]:
        return self.world.pulls[number].labels

    def checks(self, sha: str) -> list[Check]:
        return [it for it in self.world.checks.values() if it.head_sha == sha]

    def of(self, workflow: str) -> list[Scene]:
        return [scene for scene in self.scenes if scene.workflow == workflow]

    @property
    def calls(self) -> list[Call]:
        return [call for scene in self.scenes for call in scene.calls]

    @property
    def writes(self) -> list[str]:
        return [str(call) for call in self.calls if call.writes]


def snapshot(world: World) -> World:
    plain = {key: value for key, value in vars(world).items() if key != "lock" and not key.startswith("_")}
    return World(**copy.deepcopy(plain))


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, After]]:
    folder = tmp_path_factory.mktemp("story")
    (folder / "runs").mkdir()
    with serve(World()) as hub:
        story = Story(Stage(hub, Origin(folder / "origin"), folder / "runs"))
        told = {act.__name__: After(act(story), snapshot(hub.world), story) for act in ACTS}
        yield told
        assert hub.violations == []


def logs(scenes: list[Scene]) -> str:
    return "\n".join(scene.done.log[-3000:] for scene in scenes if scene.done)


def test_every_workflow_of_ours_succeeds_but_the_red_suite(played: dict[str, After]) -> None:
    for name, after in played.items():
        for scene in after.scenes:
            if scene.done and scene.workflow != "gpu-race.yml":
                assert scene.done.succeeded, f"{name}: {scene}\n{scene.done.log[-3000:]}"


def test_a_red_run_gets_a_comment_a_label_and_a_check_run(played: dict[str, After]) -> None:
    after = played[acts.red_run_on_a_branch.__name__]
    race, publish = after.scenes
    assert (race.run.conclusion, race.calls) == ("failure", []), logs([race])
    (comment,) = after.ours(OWN)
    assert "1 failure: explained. Nothing needs you." in comment.body
    assert "cross-phase contamination · confirmed" in comment.body
    assert after.labels(OWN) == ["triage: cross-phase contamination"]
    assert [it.fields["conclusion"] for it in after.checks(after.story.red)] == ["neutral"]
    assert publish.done is not None
    assert "cross-phase contamination" in publish.done.summary


def test_a_first_publication_takes_at_most_twelve_requests(played: dict[str, After]) -> None:
    _, publish = played[acts.red_run_on_a_branch.__name__].scenes
    assert len(publish.calls) <= 12, [str(call) for call in publish.calls]


def test_publishing_again_takes_at_most_five_requests_and_writes_nothing(played: dict[str, After]) -> None:
    after = played[acts.the_same_run_published_again.__name__]
    assert after.writes == []
    # The artifact travels on its own account.
    assert len([call for call in after.calls if not call.path.endswith("/zip")]) <= 5, logs(after.scenes)


def test_what_strangers_bots_editors_and_quoters_write_changes_nothing(played: dict[str, After]) -> None:
    after = played[acts.strangers_and_bots_command.__name__]
    assert after.writes == []
    assert after.world.dispatches == []


def test_a_rerun_of_one_test_flows_back_into_the_same_comment(played: dict[str, After]) -> None:
    before, after = played[acts.red_run_on_a_branch.__name__], played[acts.a_maintainer_reruns_one_test.__name__]
    (dispatch,) = after.world.dispatches
    assert dispatch["inputs"]["sha"] == after.story.red
    assert dispatch["inputs"]["test"].endswith("::test_store_orders_after_compute_write")
    assert [it.id for it in after.ours(OWN)] == [it.id for it in before.ours(OWN)]
    assert after.ours(OWN)[0].body != before.ours(OWN)[0].body
    asked = [it for it in after.world.comments_of(OWN) if "-n 10" in it.body and it.author == "maintainer"]
    assert [what for who, what in asked[0].reactions] == ["eyes", "rocket"]


def test_a_review_suggests_the_fix_that_was_tried_and_it_is_the_one_that_turns_the_run_green(
    played: dict[str, After],
) -> None:
    after = played[acts.a_maintainer_asks_for_a_review.__name__]
    (review,) = after.world.reviews.values()
    assert (review.event, review.commit_id) == ("COMMENT", after.story.red)
    (suggested,) = review.comments
    origin = after.story.stage.origin
    lines = origin.show(after.story.red, leaky.PLACE).splitlines()
    replacement = suggested["body"].partition("```suggestion\n")[2].partition("\n```")[0].splitlines()
    lines[suggested.get("start_line", suggested["line"]) - 1 : suggested["line"]] = replacement
    assert suggested["path"] == leaky.PLACE
    assert lines == origin.show(after.story.fixed, leaky.PLACE).splitlines()


def test_the_fix_edits_the_same_comment_and_takes_the_label_off(played: dict[str, After]) -> None:
    before, after = played[acts.red_run_on_a_branch.__name__], played[acts.the_fix_is_pushed.__name__]
    assert after.of("gpu-race.yml")[0].run.conclusion == "success", logs(after.scenes)
    assert [it.id for it in after.ours(OWN)] == [it.id for it in before.ours(OWN)]
    assert after.story.fixed in after.ours(OWN)[0].body
    assert after.labels(OWN) == []
    assert [it.fields["conclusion"] for it in after.checks(after.story.fixed)] == ["success"]


def test_a_fork_gets_no_gpu_and_one_hint(played: dict[str, After]) -> None:
    after = played[acts.a_fork_opens_a_pull_request.__name__]
    race, _, second = after.scenes
    assert (race.ran, race.run.conclusion) == (False, "skipped")
    assert len(after.said(FORKED)) == 1
    assert f"/triage rerun --sha {after.story.red}" in after.said(FORKED)[0]
    assert [call for call in second.calls if call.writes] == []


def test_a_maintainers_word_runs_exactly_the_commit_that_it_names(played: dict[str, After]) -> None:
    after = played[acts.a_maintainer_vouches_for_the_fork.__name__]
    assert after.world.dispatches[-1]["inputs"]["sha"] == after.story.red
    (race,) = after.of("gpu-race.yml")
    assert (race.event, race.run.title) == ("workflow_dispatch", f"triage #{FORKED} @ {after.story.red}")
    assert race.calls == []
    (comment,) = after.ours(FORKED)
    assert "cross-phase contamination" in comment.body
    assert after.labels(FORKED) == ["triage: cross-phase contamination"]


def test_a_moved_head_and_a_short_hash_are_refused_with_a_reason(played: dict[str, After]) -> None:
    before, after = played[acts.a_maintainer_vouches_for_the_fork.__name__], played[acts.the_forks_head_moves.__name__]
    assert len(after.world.dispatches) == len(before.world.dispatches)
    asked = [it for it in after.world.comments_of(FORKED) if it.author == "maintainer"][-2:]
    assert [what for it in asked for _, what in it.reactions] == ["eyes", "confused"] * 2
    assert len([body for body in after.said(FORKED) if not body.startswith(MARKER)]) == 2


def test_a_forks_own_workflow_is_not_believed_and_does_not_get_our_runner(played: dict[str, After]) -> None:
    after = played[acts.a_fork_changes_the_workflow.__name__]
    rosy, greedy = after.of("gpu-race.yml")
    assert (rosy.ran, rosy.run.conclusion) == (True, "success")
    assert any(it.run == rosy.run.id for it in after.world.artifacts.values())
    assert greedy.refused is not None
    assert "mallory/kernels" in greedy.refused
    assert not any(it.run == greedy.run.id for it in after.world.artifacts.values())
    assert after.labels(EVIL) == []
    assert len(after.said(EVIL)) == 1


def test_no_check_run_is_left_in_progress(played: dict[str, After]) -> None:
    checks = played[acts.a_fork_changes_the_workflow.__name__].world.checks.values()
    assert {it.fields["status"] for it in checks} <= {"completed"}


def test_the_job_that_runs_pull_request_code_asks_the_api_for_nothing(played: dict[str, After]) -> None:
    assert [str(call) for after in played.values() for scene in after.of("gpu-race.yml") for call in scene.calls] == []
