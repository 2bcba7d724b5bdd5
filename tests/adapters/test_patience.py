from __future__ import annotations

import pytest

from triage_bot.adapters.patience import HostAnswerError, Patience, status_of, told
from triage_bot.errors import CodeHostError, ExitCode, PermissionRefusedError

QUICK = Patience(tries=3, pause=0.001, longest=0.01, stumble=0.001)
LIMITED = HostAnswerError(403, "You have exceeded a secondary rate limit.")
LOST = HostAnswerError(502, "Server Error")


class Host:
    """Gives its answers one after the other, and counts."""

    def __init__(self, *answers: HostAnswerError | str) -> None:
        self.answers = list(answers)
        self.asked = 0

    def ask(self) -> str:
        self.asked += 1
        answer = self.answers.pop(0)
        if isinstance(answer, HostAnswerError):
            raise answer
        return answer


@pytest.mark.parametrize(
    "refusal",
    [
        LIMITED,
        LOST,
        HostAnswerError(403, "Slow down", retry_after=0),
        HostAnswerError(429, "API rate limit exceeded", retry_after=0.001),
        HostAnswerError(0, "no answer: ConnectionError"),
    ],
)
def test_what_may_be_granted_later_is_asked_again(refusal: HostAnswerError) -> None:
    assert QUICK.read(Host(refusal, refusal, "granted").ask) == "granted"


@pytest.mark.parametrize(
    "refusal",
    [
        HostAnswerError(403, "Resource not accessible by integration"),
        HostAnswerError(404, "Not Found"),
        HostAnswerError(422, "body is too long"),
        HostAnswerError(429, "API rate limit exceeded", retry_after=3_600),
    ],
)
def test_what_will_not_be_granted_is_not_asked_again(refusal: HostAnswerError) -> None:
    host = Host(refusal, "granted")
    with pytest.raises(HostAnswerError):
        QUICK.read(host.ask)
    assert host.asked == 1


def test_patience_ends() -> None:
    host = Host(LOST, LOST, LOST, "granted")
    with pytest.raises(HostAnswerError):
        QUICK.read(host.ask)
    assert host.asked == 3


def test_a_write_whose_answer_was_lost_is_looked_for_before_it_is_repeated() -> None:
    done = Host(LOST, "twice")
    assert QUICK.write(done.ask, lambda: "found") == "found"
    assert done.asked == 1
    undone = Host(LOST, "once")
    assert QUICK.write(undone.ask, lambda: None) == "once"


def test_a_write_that_was_limited_was_not_done_and_is_not_looked_for() -> None:
    def look() -> str:
        raise AssertionError("it was looked for")

    assert QUICK.write(Host(LIMITED, "granted").ask, look) == "granted"


def test_the_two_kinds_of_403_end_differently() -> None:
    with pytest.raises(PermissionRefusedError) as lacking, told("checks: write"):
        raise HostAnswerError(403, "Resource not accessible by integration")
    assert "`checks: write`" in lacking.value.advice
    with pytest.raises(PermissionRefusedError) as named, told("checks: write"):
        raise HostAnswerError(403, "Resource not accessible by integration", wants="pull_requests=write")
    assert "`pull-requests: write`" in named.value.advice
    with pytest.raises(CodeHostError) as limited, told("checks: write"):
        raise LIMITED
    assert not isinstance(limited.value, PermissionRefusedError)
    assert "few minutes" in limited.value.advice


@pytest.mark.parametrize("status", [0, 401, 404, 422, 502])
def test_every_other_refusal_says_what_to_do(status: int) -> None:
    with pytest.raises(CodeHostError) as refusal, told("checks: write"):
        raise HostAnswerError(status, "no")
    assert refusal.value.advice
    assert refusal.value.exit_code == ExitCode.CODE_HOST_REFUSED
    assert status_of(refusal.value) == status
