from __future__ import annotations

import pytest

from triage_bot.core.stats import adjusted, excluded_rate, fisher_one_sided, rate_interval


@pytest.mark.parametrize(
    ("held", "varied", "p_value"), [((5, 5), (0, 5), 1 / 252), ((4, 4), (0, 4), 1 / 70), ((3, 3), (0, 3), 1 / 20)]
)
def test_the_chance_of_a_clean_split_is_one_in_the_ways_to_split(
    held: tuple[int, int], varied: tuple[int, int], p_value: float
) -> None:
    assert fisher_one_sided(*held, *varied) == pytest.approx(p_value)


def test_an_arm_that_fails_more_often_than_the_held_one_proves_nothing() -> None:
    assert fisher_one_sided(0, 5, 5, 5) == pytest.approx(1.0)


def test_no_trials_prove_nothing() -> None:
    assert fisher_one_sided(0, 0, 0, 5) == 1.0
    assert rate_interval(0, 0) == (0.0, 1.0)
    assert excluded_rate(0) == 1.0
    assert adjusted([]) == ()


def test_an_interval_is_exact() -> None:
    low, high = rate_interval(3, 100)

    assert (low, high) == pytest.approx((0.00623, 0.08518), abs=1e-5)


@pytest.mark.parametrize(("passes", "rate"), [(5, 0.45), (14, 0.19), (29, 0.098), (59, 0.0495), (99, 0.0298)])
def test_passes_exclude_the_rate_that_would_have_shown(passes: int, rate: float) -> None:
    assert excluded_rate(passes) == pytest.approx(rate, abs=0.003)


def test_one_proof_among_chances_counts_less() -> None:
    assert adjusted([0.004, 0.5, 0.9, 0.7]) == pytest.approx((0.016, 0.9, 0.9, 0.9))


def test_several_equal_proofs_hold_together() -> None:
    assert adjusted([0.004, 0.004, 0.004]) == pytest.approx((0.004, 0.004, 0.004))
