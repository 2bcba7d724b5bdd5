"""Which of the tests that ran before it a test cannot stand: a search that survives trials which pass by luck.

Each trial runs some of the predecessors. A failure speaks for those that ran; a pass speaks against them, as strongly
as the failure is frequent. Limits: it looks for a single polluter; where two are needed together none is named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from triage_bot.core.evidence import Read, Reading

MOST_TRIALS = 30
"""Trials after which no single polluter is expected to be found: 200 tests need about eleven."""
SURE = 0.99
"""How probable a polluter must be before it is named; it must also have shown the failure on its own."""
UNRELATED = 0.001
"""How probable the failure is without the polluter: it was never seen so."""


@dataclass(frozen=True)
class Narrowing:
    """The search is not over."""

    next: tuple[str, ...]
    """Which predecessors to run in the next trial, in their order."""


@dataclass(frozen=True)
class Polluter:
    """The search is over."""

    test: str | None
    """Node id; None when no single test was found."""


def narrow(before: Sequence[str], reads: Sequence[Read], rate: float) -> Narrowing | Polluter:
    """Where the search stands. ``rate``: how often the failure shows when all of ``before`` ran, below 1.0."""
    if len(before) == 1:
        return Polluter(before[0])
    weights = _weights(before, reads, rate)
    best = max(before, key=lambda test: weights[test])
    alone = any(read.trial.before == (best,) and read.reading is Reading.ALIKE for read in reads)
    if alone and weights[best] >= SURE:
        return Polluter(best)
    if len(reads) >= MOST_TRIALS:
        return Polluter(None)
    return Narrowing((best,) if weights[best] >= 1 / 2 else _half(before, weights))


def _weights(before: Sequence[str], reads: Sequence[Read], rate: float) -> dict[str, float]:
    """How probable each predecessor is the polluter, after these trials."""
    weights = dict.fromkeys(before, 1.0)
    for read in reads:
        if read.usable:
            ran = set(read.trial.before)
            within, without = (1.0, UNRELATED) if read.reading is Reading.ALIKE else (1.0 - rate, 1.0)
            weights = {test: weight * (within if test in ran else without) for test, weight in weights.items()}
            # Scaled each time: twenty small factors would leave nothing to compare.
            total = sum(weights.values())
            weights = {test: weight / total for test, weight in weights.items()}
    total = sum(weights.values())
    return {test: weight / total for test, weight in weights.items()}


def _half(before: Sequence[str], weights: dict[str, float]) -> tuple[str, ...]:
    """The first likely predecessors that hold half of what is probable: their trial tells the most."""
    chosen: list[str] = []
    held = 0.0
    for test in before:
        if held + weights[test] / 2 > 1 / 2:
            break
        if weights[test] > UNRELATED / len(before):
            chosen.append(test)
            held += weights[test]
    # No test holds half by itself, so there is always a first one to choose.
    return tuple(chosen)
