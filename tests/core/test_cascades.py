"""Failures that are one event, told from those that merely come together."""

from __future__ import annotations

from triage_bot.core.cascades import cascades, mass_failure
from triage_bot.core.results import Attempt, Failure, Outcome, TestId, TestResult

FAULT = "CUDA error: an illegal memory access was encountered"


def failed(position: int, message: str, worker: str = "", outcome: Outcome = Outcome.FAILED) -> TestResult:
    attempt = Attempt(outcome, Failure("RuntimeError", message), worker=worker)
    return TestResult(TestId("m", f"t{position}"), (attempt,), position)


def test_failures_after_a_sticky_fault_follow_from_it_whatever_they_say() -> None:
    results = [failed(2, FAULT), failed(3, "std::bad_alloc"), failed(9, "assert 1 == 2")]
    (cascade,) = cascades(results)
    assert cascade.origin is results[0]
    assert cascade.followers == tuple(results[1:])
    assert cascade.rule.family == "sticky-cuda"


def test_failures_before_the_fault_stand_for_themselves() -> None:
    results = [failed(1, "assert 1 == 2"), failed(2, FAULT), failed(3, FAULT)]
    (cascade,) = cascades(results)
    assert cascade.origin is results[1]
    assert cascade.followers == (results[2],)


def test_a_fault_in_one_worker_explains_nothing_in_another() -> None:
    results = [failed(1, FAULT, "gw0"), failed(2, "assert 0", "gw1"), failed(3, "x", "gw0")]
    (cascade,) = cascades(results)
    assert (cascade.worker, cascade.followers) == ("gw0", (results[2],))


def test_a_new_process_begins_without_the_fault() -> None:
    results = [failed(1, FAULT, "gw0"), failed(2, "died", "gw0", Outcome.CRASHED), failed(3, "assert 0", "gw0")]
    (cascade,) = cascades(results)
    assert cascade.followers == (results[1],)


def test_a_fault_that_nothing_follows_is_no_cascade() -> None:
    assert cascades([failed(1, "assert 0"), failed(2, FAULT)]) == ()


def test_failures_without_a_sticky_fault_are_no_cascade_though_they_say_the_same() -> None:
    assert cascades([failed(at, "NameError: name 'json' is not defined") for at in range(3)]) == ()


def test_more_failures_than_allowed_or_most_of_a_run_are_one_event() -> None:
    assert mass_failure(21, 1000, most=20) is not None
    assert mass_failure(8, 10, most=20) is not None


def test_few_failures_of_a_small_run_are_several_events() -> None:
    assert mass_failure(2, 2, most=20) is None
    assert mass_failure(7, 10, most=20) is None
