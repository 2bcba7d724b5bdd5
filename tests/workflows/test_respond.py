from __future__ import annotations

from dataclasses import replace

import pytest

from tests.memory_forge import HOME, PULL, RUN, MemoryForge
from tests.samples import LEAK, ORDERING, SHA, TEST, triage
from tests.workflows.test_publish import FORK, FORKED, NEXT_SHA, run_publish
from triage_bot.core import publication as plan
from triage_bot.core.host import Spoken
from triage_bot.core.publication import Reaction
from triage_bot.errors import CodeHostError
from triage_bot.workflows.office import Office
from triage_bot.workflows.respond import respond

RED = triage(LEAK, ORDERING)


def ask(forge: MemoryForge, author: str, body: str, **how: bool) -> str:
    comment = forge.say(author, body, **how)
    forge.applied.clear()
    return respond(Office(forge, HOME), Spoken("created", 7, comment))


def published() -> MemoryForge:
    forge = MemoryForge(results={71: [RED]})
    run_publish(forge, RED)
    return forge


def reactions(forge: MemoryForge) -> list[Reaction]:
    return [write.reaction for write in forge.applied if isinstance(write, plan.React)]


def dispatches(forge: MemoryForge) -> list[dict[str, str]]:
    return [dict(write.inputs) for write in forge.applied if isinstance(write, plan.Dispatch)]


def test_rerun_starts_the_race_workflow_of_the_default_branch_at_the_head() -> None:
    forge = published()
    ask(forge, "maria", "/triage rerun test_load_reads -n 10")
    assert forge.applied[1] == plan.Dispatch(
        "gpu-race.yml",
        "main",
        (("pull-request", "7"), ("sha", SHA), ("test", ORDERING.test), ("trials", "10")),
    )
    assert reactions(forge) == [Reaction.SEEN, Reaction.DONE]


def test_a_fork_runs_at_the_full_hash_that_was_read_and_at_no_other() -> None:
    forge = MemoryForge(pulls=[FORKED])
    run_publish(forge, run=FORK)
    ask(forge, "maria", f"/triage rerun --sha {SHA}")
    assert dispatches(forge) == [{"pull-request": "7", "sha": SHA}]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("/triage rerun", "name the full commit"),
        (f"/triage rerun --sha {SHA[:8]}", "all 40 digits"),
        (f"/triage rerun --sha {NEXT_SHA}", f"the head is {SHA} now"),
        (f"/triage rerun --sha {SHA} test_x", "no result on this head"),
    ],
)
def test_a_fork_without_its_pinned_head_is_refused(body: str, reason: str) -> None:
    forge = MemoryForge(pulls=[FORKED])
    assert reason in ask(forge, "maria", body)
    assert dispatches(forge) == []
    assert reactions(forge) == [Reaction.SEEN, Reaction.REFUSED]
    assert reason in forge.talk[-1].body.replace("\\", "")


def test_a_fork_head_that_moved_since_the_maintainer_read_it_is_refused() -> None:
    forge = MemoryForge(pulls=[replace(FORKED, head_sha=NEXT_SHA)])
    assert "the head is" in ask(forge, "maria", f"/triage rerun --sha {SHA}")
    assert dispatches(forge) == []


@pytest.mark.parametrize(
    "test",
    ["$(reboot)", "test_load_reads;reboot", "-k", "@args", "--junit=/etc/passwd", "`$(id)`", "../x", "no_such_test"],
)
def test_a_name_that_is_no_known_test_reaches_nothing(test: str) -> None:
    forge = published()
    assert ask(forge, "maria", f"/triage rerun {test}").startswith("Refused")
    assert dispatches(forge) == []


def test_what_follows_the_first_line_is_never_part_of_a_name() -> None:
    forge = published()
    ask(forge, "maria", f"/triage rerun {TEST}\n; reboot")
    assert dispatches(forge)[0]["test"] == TEST


@pytest.mark.parametrize(
    ("author", "body", "how"),
    [
        ("stranger", "/triage rerun", {}),
        ("stranger", "/triage dance", {}),
        ("maria", "> /triage rerun", {}),
        ("maria", "```\n/triage rerun\n```", {}),
        ("maria", "/triage rerun", {"edited": True}),
        ("maria", "/triage rerun", {"bot": True}),
    ],
)
def test_who_and_what_does_not_count_gets_no_answer_at_all(author: str, body: str, how: dict[str, bool]) -> None:
    forge = published()
    assert ask(forge, author, body, **how).startswith("Ignored")
    assert forge.applied == []


def test_an_edit_and_an_issue_are_no_place_for_commands() -> None:
    forge = published()
    comment = forge.say("maria", "/triage rerun")
    forge.applied.clear()
    for spoken in (Spoken("edited", 7, comment), Spoken("created", None, comment)):
        assert respond(Office(forge, HOME), spoken).startswith("Ignored")
    assert forge.applied == []


def test_accept_publishes_the_last_result_again_with_who_and_why() -> None:
    forge = published()
    ask(forge, "maria", "/triage accept test_load_reads_after_copy a known race, fixed next week")
    assert "Accepted by `maria`: a known race, fixed next week" in forge.talk[0].body
    assert [type(write).__name__ for write in forge.applied] == ["React", "EditComment", "CreateCheck", "React"]


def test_accept_of_nothing_known_is_refused() -> None:
    assert "no test of the last result" in ask(published(), "maria", "/triage accept nope because")
    assert "no result on this head" in ask(MemoryForge(), "maria", "/triage accept nope because")


def test_commands_about_a_result_need_one_on_the_present_head() -> None:
    forge = published()
    forge.pulls = [replace(PULL, head_sha=NEXT_SHA)]
    assert "no result on this head" in ask(forge, "maria", f"/triage accept {TEST} known")
    assert "no result on this head" in ask(forge, "maria", "/triage review")


def test_a_marker_that_names_a_run_which_is_not_believed_gives_no_result() -> None:
    forge = published()
    forge.runs = [replace(RUN, head_repository="mallory/kernels")]
    assert "no result on this head" in ask(forge, "maria", "/triage review")


def test_help_lists_the_commands() -> None:
    forge = published()
    ask(forge, "maria", "/triage help")
    assert "`/triage accept TEST REASON…`" in forge.talk[-1].body


def test_a_refusal_repeats_hostile_text_as_code_only() -> None:
    forge = published()
    ask(forge, "maria", "/triage rerun @octo/owners <b>")
    assert "`/triage rerun @octo/owners <b>`" in forge.talk[-1].body


def test_a_closed_pull_request_is_not_run() -> None:
    forge = MemoryForge(pulls=[replace(PULL, open=False)])
    assert "closed" in ask(forge, "maria", "/triage rerun")


def test_when_the_host_fails_midway_the_comment_shows_it() -> None:
    forge = published()
    comment = forge.say("maria", "/triage rerun")
    forge.applied.clear()
    forge.lost = (plan.Dispatch,)
    with pytest.raises(CodeHostError):
        respond(Office(forge, HOME), Spoken("created", 7, comment))
    assert reactions(forge) == [Reaction.SEEN, Reaction.REFUSED]


def test_a_start_that_the_token_does_not_allow_is_said_on_the_pull_request() -> None:
    forge = published()
    forge.forbidden = (plan.Dispatch,)
    assert ask(forge, "maria", "/triage rerun").startswith("Refused: the bot may not start gpu-race.yml")
    assert reactions(forge) == [Reaction.SEEN, Reaction.REFUSED]
