from __future__ import annotations

import pytest

from benchmarks.decision_simulation import TRUTHS, Truth, missed, simulate, wrong_cause

SEEDS = range(2)


@pytest.mark.parametrize("truth", TRUTHS, ids=lambda truth: truth.name)
def test_a_test_of_known_truth_gets_its_verdict(truth: Truth) -> None:
    runs = [simulate(truth, seed) for seed in SEEDS]

    assert not any(wrong_cause(truth, run) for run in runs)
    assert not any(missed(truth, run) for run in runs)
