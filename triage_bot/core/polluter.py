"""Which of the tests that ran before it a test cannot stand: a search that survives trials which pass by luck.

Each trial runs some of the predecessors. A failure speaks for those that ran; a pass speaks against them, as strongly
as the failure is frequent. What is known beforehand only says where to look first. Limits: it looks for a single
polluter; where two are needed together none is named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from triage_bot.core.evidence import Read, Reading
from triage_bot.core.stats import fisher_one_sided

MOST_TRIALS = 30
"""Trials after which no single polluter is expected to be found, of a failure that is certain: 200 tests need about
eleven. One that fails half of the time may take twice as many."""
SURE = 0.99
"""How probable a polluter must be before it is named."""
ALONE = 2
"""How often it must also have shown the failure on its own: once may be chance, however suspect it was."""
UNRELATED = 0.001
"""How probable the failure is without the polluter: it was never seen so."""
UNSEEN = 0.1
"""How probable it is, beforehand, that the polluter is none of those under suspicion."""


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


@dataclass(frozen=True)
class Known:
    """What is known before the search."""

    rate: float
    """How often the failure shows when all predecessors ran, below 1.0."""
    suspicion: Mapping[str, float] = field(default_factory=dict)
    """Of some of them, how much more it is than of the others under suspicion, in any unit.

    It decides where to look first, never who is named.
    """
    passes: int = 0
    """Trials that passed with no predecessor."""
    proof: float = 1.0
    """Highest p-value with which a polluter, run alone before it, must differ from none at all; 1.0 where it is proven
    already that some predecessor is needed."""


def narrow(before: Sequence[str], reads: Sequence[Read], known: Known) -> Narrowing | Polluter:
    """Where the search stands."""
    if len(before) == 1:
        return Polluter(before[0])
    weights = _weights(_prior(before, known.suspicion), reads, known.rate)
    best = max(before, key=lambda test: weights[test])
    if weights[best] >= SURE and _shown([read for read in reads if read.trial.before == (best,)], known):
        return Polluter(best)
    if len(reads) >= int(MOST_TRIALS / known.rate):
        return Polluter(None)
    return Narrowing((best,) if weights[best] >= 1 / 2 else _half(before, weights))


def _shown(reads: Sequence[Read], known: Known) -> bool:
    """Whether trials after one test alone show the failure, and not by chance."""
    usable = [read.reading for read in reads if read.usable]
    hits = usable.count(Reading.ALIKE)
    return hits >= ALONE and fisher_one_sided(hits, len(usable), 0, known.passes) <= known.proof


def _prior(before: Sequence[str], suspicion: Mapping[str, float]) -> dict[str, float]:
    """How probable each predecessor is the polluter, before any trial."""
    known = {test: suspicion[test] for test in before if suspicion.get(test)}
    if not known:
        return dict.fromkeys(before, 1 / len(before))
    total = sum(known.values())
    return {test: UNSEEN / len(before) + (1 - UNSEEN) * known.get(test, 0.0) / total for test in before}


def _weights(prior: Mapping[str, float], reads: Sequence[Read], rate: float) -> dict[str, float]:
    """How probable each predecessor is the polluter, after these trials."""
    weights = dict(prior)
    for read in reads:
        if read.usable:
            ran = set(read.trial.before)
            within, without = (1.0, UNRELATED) if read.reading is Reading.ALIKE else (1.0 - rate, 1.0)
            weights = {test: weight * (within if test in ran else without) for test, weight in weights.items()}
            # Scaled each time: twenty small factors would leave nothing to compare.
            total = sum(weights.values())
            weights = {test: weight / total for test, weight in weights.items()}
    return weights


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
