"""Failures that are one event: a fault that outlives its test and fails those after it, or a whole run that falls.

Works on what a report tells, before anything is rerun: it names suspects and spares reruns, and proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from triage_bot.core.results import Outcome, TestResult
from triage_bot.core.signatures import Rule, rule_of
from triage_bot.core.wording import counted

MASS_SHARE = 0.8
"""Share of the tests that ran from which failures are one event."""
MASS_LEAST = 5
"""Failures below which a share says nothing: two of two tests may well have two causes."""


@dataclass(frozen=True)
class Cascade:
    """One process in which a fault failed the tests after it."""

    worker: str
    """Its name in the report; empty when the report tells none."""
    origin: TestResult
    """The first test that met the fault. The tests that passed before it in this process remain suspects."""
    rule: Rule
    """What its text says."""
    followers: tuple[TestResult, ...]
    """Every later failure of the process, whatever its text: an outlived fault surfaces in many words."""


@dataclass(frozen=True)
class MassFailure:
    """So many failures at once that they are one event."""

    failed: int
    ran: int
    why: str
    """One sentence."""


def cascades(failing: Iterable[TestResult]) -> tuple[Cascade, ...]:
    """The cascades among failures that stand in the order in which they happened; one a process at most.

    A crash ends its process, and a new one of the same name begins without the fault.
    """
    found: list[Cascade] = []
    by_worker: dict[str, list[TestResult]] = {}
    for result in failing:
        by_worker.setdefault(result.worker, []).append(result)
    for worker, results in by_worker.items():
        for lifetime in _lifetimes(results):
            found.extend(_cascade(worker, lifetime))
    return tuple(sorted(found, key=lambda cascade: cascade.origin.position))


def mass_failure(failed: int, ran: int, most: int) -> MassFailure | None:
    """Whether ``failed`` of ``ran`` tests are one event: more than ``most``, or four fifths of the run."""
    if failed > most:
        return MassFailure(failed, ran, f"{counted(failed, 'test')} failed at once, more than {most:,}")
    if failed >= MASS_LEAST and failed >= MASS_SHARE * ran:
        return MassFailure(failed, ran, f"{failed:,} of the {ran:,} tests that ran failed at once")
    return None


def _lifetimes(results: Sequence[TestResult]) -> list[list[TestResult]]:
    """The failures of one worker name, cut where its process died."""
    lifetimes: list[list[TestResult]] = [[]]
    for result in results:
        lifetimes[-1].append(result)
        if result.outcome is Outcome.CRASHED:
            lifetimes.append([])
    return lifetimes


def _cascade(worker: str, results: Sequence[TestResult]) -> list[Cascade]:
    for at, result in enumerate(results):
        rule = rule_of(result.failure) if result.failure else None
        if rule is not None and rule.sticky and len(results) > at + 1:
            return [Cascade(worker, result, rule, tuple(results[at + 1 :]))]
    return []
