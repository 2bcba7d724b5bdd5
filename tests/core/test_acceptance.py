from __future__ import annotations

from tests.memory_forge import MemoryForge
from tests.samples import ORDERING, TEST
from triage_bot.core.acceptance import acceptances, voices
from triage_bot.core.standing import Acceptance

SINCE = "2026-12-01T01:00:00Z"
TESTS = [TEST, ORDERING.test]


def test_a_maintainers_word_is_kept_with_name_and_reason() -> None:
    talk = MemoryForge()
    talk.say("maria", f"/triage accept {TEST} known, see the tracker")
    assert voices(talk.talk, SINCE) == ["maria"]
    assert acceptances(talk.talk, SINCE, {"maria"}, TESTS) == (Acceptance(TEST, "maria", "known, see the tracker"),)


def test_nobody_elses_word_counts() -> None:
    talk = MemoryForge()
    talk.say("stranger", f"/triage accept {TEST} please")
    talk.say("maria", f"/triage accept {TEST} edited later", edited=True)
    talk.say("robot", f"/triage accept {TEST} beep", bot=True)
    talk.say("maria", f"> /triage accept {TEST} quoted")
    talk.say("maria", "/triage accept no_such_test known")
    talk.say("maria", "/triage accept tests/ known")
    assert acceptances(talk.talk, SINCE, {"maria"}, TESTS) == ()


def test_a_word_from_before_the_first_result_on_this_head_has_ended() -> None:
    talk = MemoryForge()
    talk.say("maria", f"/triage accept {TEST} known")
    assert acceptances(talk.talk, "2026-12-01T01:02:00Z", {"maria"}, TESTS) == ()


def test_the_first_word_on_a_test_stays() -> None:
    talk = MemoryForge(writers={"maria", "otto"})
    talk.say("maria", f"/triage accept {TEST} first")
    talk.say("otto", f"/triage accept {TEST} second")
    assert acceptances(talk.talk, SINCE, {"maria", "otto"}, TESTS) == (Acceptance(TEST, "maria", "first"),)
