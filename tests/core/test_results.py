"""How attempts at a test come to one result."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from triage_bot.core.results import NOT_RUN, PASSED, RETRIED, SKIPPED, Attempt, Failure, Outcome, TestId, TestResult

FAILED = Attempt(Outcome.FAILED, Failure("AssertionError", "assert 0"))
ERRORED = Attempt(Outcome.ERRORED, Failure("RuntimeError", "boom"))
TEARDOWN = Attempt(Outcome.ERRORED, Failure("RuntimeError", "boom", when="teardown"))
RERUN = Attempt(Outcome.ERRORED, Failure("ValueError", "again"), retry=True)


def result(*attempts: Attempt) -> TestResult:
    return TestResult(TestId("c", "n"), attempts)


@pytest.mark.parametrize("attempts", list(itertools.permutations([PASSED, FAILED, ERRORED])))
def test_some_bad_and_some_passed_is_flaky_in_any_order(attempts: tuple[Attempt, ...]) -> None:
    assert result(*attempts).flaky
    assert result(*attempts).outcome is Outcome.PASSED


@pytest.mark.parametrize(
    ("attempts", "outcome"),
    [
        ((FAILED, FAILED), Outcome.FAILED),
        ((FAILED, ERRORED), Outcome.ERRORED),
        ((RETRIED, RETRIED, FAILED), Outcome.FAILED),
        ((FAILED, RERUN), Outcome.FAILED),
        ((FAILED, replace(TEARDOWN, retry=True)), Outcome.FAILED),
        ((RERUN,), Outcome.ERRORED),
        ((PASSED, TEARDOWN), Outcome.ERRORED),
        ((SKIPPED, PASSED), Outcome.PASSED),
        ((SKIPPED, SKIPPED), Outcome.SKIPPED),
        ((FAILED, SKIPPED), Outcome.FAILED),
        ((NOT_RUN,), Outcome.NOT_RUN),
    ],
)
def test_without_a_pass_beside_it_the_worst_decides(attempts: tuple[Attempt, ...], outcome: Outcome) -> None:
    assert result(*attempts).outcome is outcome
    assert not result(*attempts).flaky


def test_the_failure_to_explain_is_the_tests_own_and_not_that_of_its_teardown_or_rerun() -> None:
    assert result(FAILED, TEARDOWN).failure is FAILED.failure
    assert result(FAILED, RERUN).failure is FAILED.failure
    assert result(TEARDOWN).failure is TEARDOWN.failure
    assert result(PASSED).failure is None


def test_an_id_without_any_name_says_so() -> None:
    assert str(TestId("c", "n")) == "c::n"
    assert str(TestId("", "n")) == "n"
    assert str(TestId("", "")) == "(no name)"
