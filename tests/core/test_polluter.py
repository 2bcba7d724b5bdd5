from __future__ import annotations

import random

import pytest

from triage_bot.core.arms import Arm
from triage_bot.core.evidence import Read, Reading
from triage_bot.core.polluter import MOST_TRIALS, Known, Narrowing, Polluter, narrow
from triage_bot.core.results import Outcome
from triage_bot.core.trials import Observation, Trial

BEFORE = tuple(f"test_a.py::test_{number}" for number in range(200))
PASSED = Observation(Outcome.PASSED, None, 1.0)


def search(
    polluters: set[str], known: Known, seed: int = 0, before: tuple[str, ...] = BEFORE
) -> tuple[str | None, int]:
    """The polluter that is named, and the trials it took; it fails when all of ``polluters`` ran, at the known rate."""
    chance = random.Random(seed)
    reads: list[Read] = []
    while isinstance(where := narrow(before, reads, known), Narrowing):
        failed = polluters <= set(where.next) and chance.random() < known.rate
        trial = Trial(len(reads), Arm(in_order=True), PASSED, search=True, before=where.next)
        reads.append(Read(trial, Reading.ALIKE if failed else Reading.CLEAN))
    assert isinstance(where, Polluter)
    return where.test, len(reads)


@pytest.mark.parametrize("position", [0, 1, 77, 100, 198, 199])
def test_one_polluter_among_two_hundred_is_found_in_a_dozen_trials(position: int) -> None:
    named, trials = search({BEFORE[position]}, Known(0.999))

    assert named == BEFORE[position]
    assert trials <= 12


def test_passes_by_luck_do_not_hide_the_polluter() -> None:
    named = [search({BEFORE[77]}, Known(0.85), seed=seed)[0] for seed in range(20)]

    assert named.count(BEFORE[77]) >= 19
    assert set(named) <= {BEFORE[77], None}


def test_where_it_is_not_proven_that_it_needs_any_the_polluter_alone_must_prove_it() -> None:
    suspicion = {BEFORE[77]: 1.0}

    assert search({BEFORE[77]}, Known(0.999, suspicion, passes=5)) == (BEFORE[77], 2)
    assert search({BEFORE[77]}, Known(0.999, suspicion, passes=5, proof=0.01)) == (BEFORE[77], 4)


def test_two_that_are_needed_together_are_not_blamed_singly() -> None:
    assert search({BEFORE[20], BEFORE[150]}, Known(0.999)) == (None, MOST_TRIALS)


def test_a_single_predecessor_needs_no_search() -> None:
    assert search({BEFORE[0]}, Known(0.9), before=BEFORE[:1]) == (BEFORE[0], 0)


def test_predecessors_run_in_their_order() -> None:
    where = narrow(BEFORE, [], Known(0.9))

    assert isinstance(where, Narrowing)
    assert list(where.next) == [test for test in BEFORE if test in where.next]


def test_who_is_suspect_is_tried_first_and_named_only_when_it_failed_twice_by_that_alone() -> None:
    assert search({BEFORE[77]}, Known(0.9, {BEFORE[77]: 1.5, BEFORE[3]: 0.01})) == (BEFORE[77], 2)


def test_a_wrong_suspicion_costs_trials_and_names_nobody_wrong() -> None:
    named, trials = search({BEFORE[77]}, Known(0.9, {BEFORE[3]: 5.0}))

    assert named == BEFORE[77]
    assert trials <= 25
