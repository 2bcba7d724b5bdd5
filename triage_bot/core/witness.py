"""The witness: the boundary at which drained trials found leftover work, and whose stream it was.

Limits: an amplifier's own stalls are leftover work too; a witness says where work was left, never that it did harm.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from triage_bot.core.findings import Leaker, Witness
from triage_bot.core.results import Failure
from triage_bot.core.trials import Boundary, Observation, Site

_AFTER_THE_CALL = {"call", "teardown"}
"""Boundaries that a failure during the call cannot have needed."""


def testify(observations: Sequence[Observation], failure: Failure | None) -> Witness | None:
    """The boundary with the most leftover work among those that recur in half of the drained trials; None without."""
    return _most(observations, lambda boundary: not _too_late(boundary, failure))


def testify_against(observations: Sequence[Observation], polluter: str) -> Witness | None:
    """The same among the boundaries of a test that ran before, given by its node id."""
    return _most(observations, lambda boundary: _of(polluter, boundary))


def left_by(observations: Sequence[Observation], tests: Collection[str]) -> dict[str, float]:
    """Seconds of work that each of these tests, given by node id, left when it ended, all trials together."""
    left = dict.fromkeys(tests, 0.0)
    by_name: dict[str, list[str]] = {}
    for test in tests:
        by_name.setdefault(_function(test), []).append(test)
    for observation in observations:
        for boundary in observation.boundaries:
            for test in by_name.get(boundary.site.function, ()):
                if boundary.phase and _of(test, boundary):
                    left[test] += _seconds(boundary)
    return left


def runs_on(witness: Witness, observations: Sequence[Observation]) -> bool:
    """Whether the stream with the most leftover work is one that got work again, after this boundary or another.

    A phase that leaks leaves its stream behind. A pipeline goes on with it, and its work may be meant to be in flight.
    """
    stream = witness.boundary.residues[0].stream.name
    residues = (left for seen in observations for boundary in seen.boundaries for left in boundary.residues)
    return any(left.reused and left.stream.name == stream for left in residues)


def _of(test: str, boundary: Boundary) -> bool:
    return test.startswith(f"{boundary.site.file}::") and _function(test) == boundary.site.function


def _function(test: str) -> str:
    """Its name without parameters; those may hold anything, ``::`` too."""
    return test.partition("[")[0].rpartition("::")[2]


def _most(observations: Sequence[Observation], relevant: Callable[[Boundary], bool]) -> Witness | None:
    seen: dict[tuple[str, Site], list[Boundary]] = {}
    for observation in observations:
        for boundary in observation.boundaries:
            if boundary.residues and relevant(boundary):
                seen.setdefault((boundary.statement, boundary.site), []).append(boundary)
    recurring = [found for found in seen.values() if 2 * len(found) >= len(observations)]
    if not recurring:
        return None
    typical = max((_median(found) for found in recurring), key=_seconds)
    residues = tuple(sorted(typical.residues, key=lambda residue: -residue.seconds))
    leaker = Leaker.TEST if residues[0].stream.in_suite else Leaker.CODE_UNDER_TEST
    return Witness(leaker, Boundary(typical.statement, typical.site, residues))


def _too_late(boundary: Boundary, failure: Failure | None) -> bool:
    during = failure.when if failure else "call"
    return during == "call" and boundary.statement in _AFTER_THE_CALL


def _seconds(boundary: Boundary) -> float:
    return sum(residue.seconds for residue in boundary.residues)


def _median(found: Sequence[Boundary]) -> Boundary:
    return sorted(found, key=_seconds)[len(found) // 2]
