from __future__ import annotations

from dataclasses import replace

import pytest

from tests.memory_forge import HOME, PULL, RUN, MemoryForge
from tests.samples import LEAK, ORDERING, SHA, triage
from triage_bot.core import publication as plan
from triage_bot.core.findings import Counts, Source, Triage
from triage_bot.core.host import Pull, Run
from triage_bot.core.marker import Marker
from triage_bot.core.standing import Conclusion
from triage_bot.workflows.office import Office
from triage_bot.workflows.publish import Parts, Published, publish, unpublished

RED = triage(LEAK, ORDERING)
NEXT_SHA = "3d" * 20
FORK = replace(RUN, head_repository="mallory/kernels", conclusion="skipped")
FORKED = replace(PULL, head_repository="mallory/kernels")
BY_HAND = replace(RUN, id=90, event="workflow_dispatch", head_branch="main", title=f"triage #7 @ {SHA}")


def run_publish(forge: MemoryForge, *triages: Triage, run: Run = RUN, **options: bool) -> tuple[Published, Office]:
    office = Office(forge, HOME, options.pop("dry_run", False))
    return publish(office, run, lambda: triages, Parts(**options)), office


def kinds(forge: MemoryForge) -> list[str]:
    return [type(write).__name__ for write in forge.applied]


def test_a_first_result_makes_a_comment_labels_and_a_check_run() -> None:
    forge = MemoryForge()
    done, office = run_publish(forge, RED)
    assert kinds(forge) == ["CreateComment", "CreateLabel", "CreateLabel", "AddLabels", "CreateCheck"]
    assert forge.talk[0].body == done.body
    assert forge.pulls[0].labels == {"triage: cross-phase contamination", "triage: ordering bug"}
    assert office.url == forge.talk[0].url
    assert done.conclusion is Conclusion.FAILURE


def test_the_same_result_again_writes_nothing() -> None:
    forge = MemoryForge()
    run_publish(forge, RED)
    forge.applied.clear()
    done, office = run_publish(forge, RED)
    assert forge.applied == []
    assert done.said == "#7: 0 writes."
    assert office.url == forge.talk[0].url


def test_a_dry_run_plans_everything_and_writes_nothing() -> None:
    forge = MemoryForge()
    done, office = run_publish(forge, RED, dry_run=True)
    assert forge.applied == []
    assert len(office.writes) == 5
    assert "ordering bug" in done.body


def test_a_fixed_push_edits_the_comment_and_takes_the_stale_label_off() -> None:
    forge = MemoryForge()
    run_publish(forge, triage(LEAK))
    forge.pulls[0] = replace(forge.pulls[0], head_sha=NEXT_SHA, labels=forge.pulls[0].labels | {"bug"})
    forge.applied.clear()
    run_publish(forge, triage(), run=replace(RUN, id=72, head_sha=NEXT_SHA, conclusion="success"))
    assert kinds(forge) == ["EditComment", "RemoveLabel", "CreateCheck"]
    assert "✅ Nothing failed" in forge.talk[0].body
    assert forge.pulls[0].labels == {"bug"}


def test_nothing_to_report_makes_no_comment() -> None:
    forge = MemoryForge()
    run_publish(forge, triage())
    assert kinds(forge) == ["CreateCheck"]


def test_a_green_run_that_hid_retries_is_told() -> None:
    forge = MemoryForge()
    run_publish(forge, triage(flaky=2))
    assert "2 tests passed only when tried again" in forge.talk[0].body


def test_a_run_that_crashed_without_a_result_is_told() -> None:
    forge = MemoryForge()
    done, _ = run_publish(forge)
    assert "❌ The run did not finish" in forge.talk[0].body
    assert done.conclusion is Conclusion.FAILURE


@pytest.mark.parametrize("conclusion", ["success", "cancelled", "skipped"])
def test_no_result_of_a_run_that_passed_or_was_stopped_is_no_news(conclusion: str) -> None:
    forge = MemoryForge()
    run_publish(forge, run=replace(RUN, conclusion=conclusion))
    assert forge.applied == []


def test_what_an_artifact_says_of_itself_is_not_looked_at() -> None:
    forge = MemoryForge(pulls=[PULL, replace(PULL, number=8, head_sha=NEXT_SHA)])
    run_publish(forge, replace(RED, source=Source("octo/kernels", NEXT_SHA, 9_999, 9, "race", "pull_request")))
    assert {write.pull for write in forge.applied if isinstance(write, plan.CreateComment)} == {7}
    assert Marker.parse(forge.talk[0].body) == Marker(SHA, 71, 1, RUN.finished)


def test_a_rosy_result_from_a_fork_is_not_even_read() -> None:
    forge = MemoryForge(pulls=[FORKED])

    def load() -> list[Triage]:
        raise AssertionError("it was read")

    publish(Office(forge, HOME), replace(FORK, conclusion="success"), load)
    assert kinds(forge) == ["CreateComment"]
    assert f"/triage rerun --sha {SHA}" in forge.talk[0].body
    assert f"/pull/7/files/{SHA}" in forge.talk[0].body


def test_a_fork_is_hinted_once_and_the_hint_follows_the_head() -> None:
    forge = MemoryForge(pulls=[FORKED])
    for _ in range(2):
        run_publish(forge, run=FORK)
    assert kinds(forge) == ["CreateComment"]
    forge.pulls = [replace(FORKED, head_sha=NEXT_SHA)]
    run_publish(forge, run=replace(FORK, head_sha=NEXT_SHA))
    assert kinds(forge) == ["CreateComment", "EditComment"]
    assert f"--sha {NEXT_SHA}" in forge.talk[0].body


def test_a_dispatched_result_replaces_the_hint_and_a_new_push_brings_it_back() -> None:
    forge = MemoryForge(pulls=[FORKED])
    run_publish(forge, run=FORK)
    run_publish(forge, triage(LEAK), run=BY_HAND)
    assert len(forge.talk) == 1
    assert "explained" in forge.talk[0].body
    run_publish(forge, run=FORK)
    assert "explained" in forge.talk[0].body
    forge.pulls = [replace(forge.pulls[0], head_sha=NEXT_SHA)]
    run_publish(forge, run=replace(FORK, head_sha=NEXT_SHA))
    assert "Not run" in forge.talk[0].body
    assert forge.pulls[0].labels == frozenset()


@pytest.mark.parametrize(
    "pulls", [[], [PULL, replace(PULL, number=8)], [replace(PULL, head_sha=NEXT_SHA)], [replace(PULL, open=False)]]
)
def test_without_exactly_one_pull_request_nothing_is_written(pulls: list[Pull]) -> None:
    forge = MemoryForge(pulls=pulls)
    done, _ = run_publish(forge, RED)
    assert forge.applied == []
    assert "ordering bug" in done.body


def test_a_dispatched_result_for_a_head_that_moved_is_dropped() -> None:
    forge = MemoryForge(pulls=[replace(FORKED, head_sha=NEXT_SHA)])
    run_publish(forge, RED, run=BY_HAND)
    assert forge.applied == []


def test_an_older_run_that_finishes_last_changes_nothing() -> None:
    forge = MemoryForge()
    run_publish(forge, RED, run=replace(RUN, id=72))
    forge.applied.clear()
    run_publish(forge, triage(), run=RUN)
    run_publish(forge, triage(), run=replace(RUN, id=72, attempt=0))
    assert forge.applied == []


def test_a_second_attempt_of_the_same_run_does() -> None:
    forge = MemoryForge()
    run_publish(forge, RED)
    run_publish(forge, triage(LEAK), run=replace(RUN, attempt=2))
    assert "1 failure: explained" in forge.talk[0].body


def test_two_first_publishes_at_once_leave_one_comment_the_oldest() -> None:
    forge = MemoryForge()
    forge.before_create = lambda: run_publish(forge, RED)
    run_publish(forge, RED)
    assert [comment.id for comment in forge.talk] == [101]
    assert kinds(forge).count("CreateComment") == 2
    assert kinds(forge)[-1] == "DeleteComment"


def test_of_two_at_once_the_later_runs_text_stays() -> None:
    forge = MemoryForge()
    forge.before_create = lambda: run_publish(forge, triage(LEAK), run=replace(RUN, id=72))
    run_publish(forge, RED)
    assert [comment.id for comment in forge.talk] == [101]
    assert "run=72" in forge.talk[0].body


@pytest.mark.parametrize(
    ("author", "prefix"),
    [("stranger", ""), ("github-actions[bot]", "Deployed.\n"), ("github-actions[bot]", " "), ("other[bot]", "")],
)
def test_a_marker_elsewhere_is_not_ours(author: str, prefix: str) -> None:
    forge = MemoryForge()
    forged = forge.say(author, f"{prefix}{Marker(SHA, 999_999, 1, '2026-12-01T00:00:00Z')}\nrosy", bot=True)
    run_publish(forge, RED)
    assert forge.talk[0] == forged
    assert len(forge.talk) == 2


def test_a_missing_permission_costs_that_write_only() -> None:
    forge = MemoryForge(forbidden=(plan.CreateComment, plan.CreateLabel, plan.AddLabels))
    _, office = run_publish(forge, RED)
    assert kinds(forge) == ["CreateCheck"]
    assert len(office.refused) == 4


def test_parts_can_be_left_alone() -> None:
    forge = MemoryForge()
    run_publish(forge, RED, comment=False, labels=False)
    assert kinds(forge) == ["CreateCheck"]


def test_an_acceptance_is_shown_and_ends_with_the_next_head() -> None:
    forge = MemoryForge()
    run_publish(forge, RED)
    forge.say("maria", "/triage accept test_load_reads_after_copy known")
    done, _ = run_publish(forge, RED)
    assert "Accepted by `maria`: known" in done.body
    assert done.conclusion is Conclusion.NEUTRAL
    forge.pulls[0] = replace(forge.pulls[0], head_sha=NEXT_SHA)
    later = replace(RUN, id=72, head_sha=NEXT_SHA, finished="2026-12-01T02:00:00Z")
    assert run_publish(forge, RED, run=later)[0].conclusion is Conclusion.FAILURE


def test_a_strangers_acceptance_is_nothing() -> None:
    forge = MemoryForge()
    run_publish(forge, RED)
    forge.say("stranger", "/triage accept test_load_reads_after_copy please")
    assert run_publish(forge, RED)[0].conclusion is Conclusion.FAILURE


def test_trying_one_test_again_does_not_hide_the_others() -> None:
    forge = MemoryForge(runs=[RUN, BY_HAND, replace(BY_HAND, id=91)], results={71: [RED]})
    run_publish(forge, RED)
    again = replace(ORDERING, why="It was tried again.")
    single = replace(triage(again), summary=Counts())
    forge.results[90] = [single]
    run_publish(forge, single, run=BY_HAND)
    assert "2 failures: 1 needs you, 1 explained" in forge.talk[0].body
    assert "It was tried again." in forge.talk[0].body
    run_publish(forge, replace(triage(replace(LEAK, why="Once more.")), summary=Counts()), run=forge.runs[2])
    assert "It was tried again." in forge.talk[0].body
    assert "Once more." in forge.talk[0].body
    assert "after=71.90" in forge.talk[0].body
    forge.applied.clear()
    run_publish(forge, replace(triage(replace(LEAK, why="Once more.")), summary=Counts()), run=forge.runs[2])
    assert forge.applied == []


def test_without_the_comment_a_fork_gets_no_hint() -> None:
    forge = MemoryForge(pulls=[FORKED])
    run_publish(forge, run=FORK, comment=False)
    assert forge.applied == []


def test_what_cannot_be_written_can_still_be_shown_elsewhere_if_it_is_believed() -> None:
    office = Office(MemoryForge(), HOME)
    assert "1 failure: explained" in unpublished(office, RUN, lambda: [triage(LEAK)])
    assert unpublished(office, FORK, lambda: [triage(LEAK)]) == ""


def test_nothing_is_put_together_from_runs_that_are_not_believed() -> None:
    forge = MemoryForge(runs=[replace(RUN, head_repository="mallory/kernels")], results={71: [RED]})
    run_publish(forge, RED)
    done, _ = run_publish(forge, replace(triage(LEAK), summary=Counts()), run=BY_HAND)
    assert ORDERING.test not in done.body
