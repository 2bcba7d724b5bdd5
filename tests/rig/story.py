"""The whole story on this machine: ``python -m tests.rig.story`` prints what ran and what the API was asked.

Every workflow is the shipped file, run by act, against the fake. Each act is a function that plays on a stage; what has
to be true after it stands in the test of the same name.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.rig.fakehub.server import serve
from tests.rig.fakehub.world import World
from tests.rig.runs import leaky
from tests.rig.runs.origin import Origin
from tests.rig.runs.stage import Scene, Stage

FORK = "mallory/kernels"
OWN, FORKED, EVIL = 7, 8, 9
"""Numbers of the pull requests: of a branch, of an honest fork, of a hostile one."""
RACE = ".github/workflows/gpu-race.yml"
ROSY = """
name: gpu-race
on: {pull_request: {}}
permissions: {}
jobs:
  race:
    runs-on: ubuntu-latest
    steps:
      - if: always()
        run: |
          echo '{"schema": "triage-bot/v1", "findings": []}' > triage.json
      - if: always()
        uses: UPLOAD
        with: {name: triage, path: triage.json}
"""
"""What a fork may put in the place of our workflow file."""


@dataclass
class Story:
    """The stage, and the commits that the pull requests bring."""

    stage: Stage
    red: str = ""
    fixed: str = ""
    moved: str = ""

    def __post_init__(self) -> None:
        origin = self.stage.origin
        length = leaky.red_length(origin.folder)
        self.red = origin.commit("main", {leaky.PLACE: leaky.leaky(length)}, "Test that stores wait for compute")
        self.fixed = origin.commit(self.red, {leaky.PLACE: leaky.mended(length)}, "Drain the stream of each phase")
        self.moved = origin.commit(self.red, {"docs/notes.md": "Something else.\n"}, "Move the head")


def red_run_on_a_branch(story: Story) -> list[Scene]:
    """A branch brings a leaky race test; the run is red."""
    return story.stage.push(OWN, story.red)


def the_same_run_published_again(story: Story) -> list[Scene]:
    """Somebody reruns the publishing job: nothing is left to write."""
    run = next(scene.run for scene in story.stage.scenes if scene.workflow == "gpu-race.yml")
    return [story.stage.publish(run)]


def strangers_and_bots_command(story: Story) -> list[Scene]:
    """Commands that are none: of a stranger, of a bot, edited, quoted."""
    stage = story.stage
    played: list[Scene] = []
    for author, body, action in (
        ("stranger", "/triage rerun", "created"),
        ("dependabot[bot]", "/triage rerun", "created"),
        ("maintainer", "/triage rerun", "edited"),
        ("maintainer", "> /triage rerun", "created"),
        ("maintainer", "I think\n/triage rerun", "created"),
    ):
        _, scenes = stage.comment(OWN, author, body, action)
        played += scenes
    return played


def a_maintainer_reruns_one_test(story: Story) -> list[Scene]:
    """The result flows back into the same comment."""
    _, scenes = story.stage.comment(OWN, "maintainer", f"/triage rerun {leaky.NAME} -n 10")
    return scenes


def a_maintainer_asks_for_a_review(story: Story) -> list[Scene]:
    """Only fixes that were tried are suggested."""
    _, scenes = story.stage.comment(OWN, "maintainer", "/triage review")
    return scenes


def the_fix_is_pushed(story: Story) -> list[Scene]:
    """The same comment, edited; the label that no longer holds goes."""
    return story.stage.push(OWN, story.fixed)


def a_fork_opens_a_pull_request(story: Story) -> list[Scene]:
    """No GPU job, one hint; and still one after a second look."""
    scenes = story.stage.push(FORKED, story.red, fork=FORK)
    return [*scenes, story.stage.publish(scenes[0].run)]


def a_maintainer_vouches_for_the_fork(story: Story) -> list[Scene]:
    """By the full hash; exactly that commit runs."""
    _, scenes = story.stage.comment(FORKED, "maintainer", f"/triage rerun --sha {story.red}")
    return scenes


def the_forks_head_moves(story: Story) -> list[Scene]:
    """A word for the old commit, and one for eight digits of the new one, are refused."""
    stage = story.stage
    scenes = stage.push(FORKED, story.moved)
    for said in (story.red, story.moved[:8]):
        _, more = stage.comment(FORKED, "maintainer", f"/triage rerun --sha {said}")
        scenes += more
    return scenes


def a_fork_changes_the_workflow(story: Story) -> list[Scene]:
    """One copy runs hosted and uploads a rosy result, the other asks for our runner and means to run always."""
    origin, stage = story.stage.origin, story.stage
    rosy = ROSY.replace("UPLOAD", _upload(origin))
    greedy = rosy.replace("ubuntu-latest", "[self-hosted, linux, cuda]")
    scenes = []
    for workflow in (rosy, greedy):
        head = origin.commit(story.red, {RACE: workflow}, "Improve the workflow")
        scenes += stage.push(EVIL, head, fork=FORK)
    return scenes


def _upload(origin: Origin) -> str:
    lines = [line.strip() for line in origin.show("main", RACE).splitlines() if "upload-artifact@" in line]
    return lines[0].removeprefix("- uses: ").split(" #")[0]


ACTS: tuple[Callable[[Story], list[Scene]], ...] = (
    red_run_on_a_branch,
    the_same_run_published_again,
    strangers_and_bots_command,
    a_maintainer_reruns_one_test,
    a_maintainer_asks_for_a_review,
    the_fix_is_pushed,
    a_fork_opens_a_pull_request,
    a_maintainer_vouches_for_the_fork,
    the_forks_head_moves,
    a_fork_changes_the_workflow,
)
"""In order: an act begins where the one before it ended."""


def main() -> int:
    """Play everything and print it; 1 when an exchange broke GitHub's description."""
    with tempfile.TemporaryDirectory() as name, serve(World()) as hub:
        folder = Path(name)
        (folder / "runs").mkdir()
        story = Story(Stage(hub, Origin(folder / "origin"), folder / "runs"))
        for act in ACTS:
            print(f"\n== {act.__name__.replace('_', ' ')}: {act.__doc__}")
            for scene in act(story):
                writes = sum(call.writes for call in scene.calls)
                print(f"{scene}{f' ({len(scene.calls)} requests, {writes} writes)' if scene.calls else ''}")
                for call in scene.calls:
                    print(f"    {call}")
        print(f"\n{len(hub.calls)} requests, {sum(call.writes for call in hub.calls)} of them writes")
        print("\n".join(hub.violations))
        return 1 if hub.violations else 0


if __name__ == "__main__":
    sys.exit(main())
