from __future__ import annotations

import pytest

from triage_bot.core.deadlines import speaks_of_patience, speaks_of_time
from triage_bot.core.results import Failure


@pytest.mark.parametrize(
    "message",
    ["step took 31.2 ms, limit 30", "deadline missed", "assert wait_until(done, timeout=0.02)", "no event within 5 s"],
)
def test_a_deadline_is_told_by_its_words(message: str) -> None:
    assert speaks_of_time(Failure("AssertionError", message))


@pytest.mark.parametrize(
    "message",
    ["the batch never finished", "gave up polling", "copy not ready", "the store is still in flight"],
)
def test_impatience_needs_no_duration(message: str) -> None:
    assert speaks_of_patience(Failure("AssertionError", message))


@pytest.mark.parametrize("message", ["3 blocks corrupt", "expected 101, got 7", "times two", ""])
def test_wrong_contents_do_not_speak_of_time(message: str) -> None:
    assert not speaks_of_time(Failure("AssertionError", message))
    assert not speaks_of_patience(Failure("AssertionError", message))
