"""Exact tests and intervals: numbers in, numbers out.

Limits: every function takes trials as independent; what keeps them so (fresh trials, interleaved arms) is the design's
business. ``scipy.stats`` takes seconds to import, so it is imported by the first question that needs it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache


@lru_cache(maxsize=4096)
def fisher_one_sided(held_failed: int, held_runs: int, varied_failed: int, varied_runs: int) -> float:
    """Chance of a gap this wide when both arms fail alike at one rate; 1.0 when an arm has no runs.

    Fisher's exact test, alternative: the held arm fails more often than the varied one.
    """
    if held_runs == 0 or varied_runs == 0:
        return 1.0
    from scipy import stats  # noqa: PLC0415 - see the module docstring

    table = [[held_failed, held_runs - held_failed], [varied_failed, varied_runs - varied_failed]]
    return float(stats.fisher_exact(table, alternative="greater").pvalue)


@lru_cache(maxsize=4096)
def rate_interval(failed: int, runs: int) -> tuple[float, float]:
    """Clopper-Pearson interval of a failure rate, 95 %; ``(0.0, 1.0)`` without runs."""
    if runs == 0:
        return (0.0, 1.0)
    from scipy import stats  # noqa: PLC0415 - see the module docstring

    interval = stats.binomtest(failed, runs).proportion_ci(confidence_level=0.95, method="exact")
    return (float(interval.low), float(interval.high))


def excluded_rate(passes: int) -> float:
    """The lowest failure rate that ``passes`` passes in a row rule out with 95 % confidence; 1.0 without passes."""
    return 1.0 if passes == 0 else 1.0 - 0.05 ** (1.0 / passes)


def adjusted(p_values: Sequence[float]) -> tuple[float, ...]:
    """Benjamini-Hochberg: each p-value as it counts among all of them, in the order given."""
    if not p_values:
        return ()
    from scipy import stats  # noqa: PLC0415 - see the module docstring

    return tuple(float(p) for p in stats.false_discovery_control(p_values))
