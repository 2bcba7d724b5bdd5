"""Which failures of the reports are worth trials, and what is known of the others without one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from triage_bot.core.alike import signature
from triage_bot.core.cascades import MassFailure, cascades, mass_failure
from triage_bot.core.findings import Finding, Grade, Reason, VerdictName
from triage_bot.core.reports import ABSENT, Report, add_up
from triage_bot.core.resolve import Resolver, Unresolved
from triage_bot.core.results import Failure, TestId, TestResult
from triage_bot.core.signatures import family
from triage_bot.core.wording import counted

MASS_SAMPLE = 3
"""Failures of a mass failure that get trials: enough to tell a broken build from a broken machine.

They are of as many kinds as there are: among the many that say one thing, one that says another has its own cause.
"""


@dataclass(frozen=True)
class Suspect:
    """A test to explain."""

    test: str
    """Node id, as the lab collected it."""
    failure: Failure | None = None
    """What a report says of it; None when it was only named."""
    before: tuple[str, ...] = ()
    """Node ids of the tests that ran before it in its worker, in that order."""


@dataclass(frozen=True)
class Sorted:
    """The failures of the reports: some to be tried, some told as they are."""

    suspects: tuple[Suspect, ...]
    findings: tuple[Finding, ...]


def sort_out(reports: Sequence[Report], resolver: Resolver, max_failures: int) -> Sorted:
    """Every failure of the reports as a suspect or as a finding that needs no trial."""
    counts = add_up([report.counts for report in reports])
    ran = counts.tests - counts.skipped - counts.not_run
    mass = mass_failure(counts.failed + counts.errored, ran, max_failures)
    sample = _sample(reports, resolver) if mass is not None else frozenset()
    suspects: list[Suspect] = []
    findings: list[Finding] = []
    for report in reports:
        followers = _followers(report)
        order = list(report.order())
        for result in report.failing:
            node_id = resolver.resolve(result.id, result.attempts[-1].file)
            if isinstance(node_id, Unresolved):
                findings.append(_could_not_rerun(result, node_id))
            elif (origin := followers.get(result.position)) is not None:
                findings.append(_follower(result, node_id, _name(origin.id, resolver)))
            elif mass is not None and (report.path, result.position) not in sample:
                findings.append(_part_of_mass(result, node_id, mass))
            else:
                elsewhere = {other.id for other in report.results if _elsewhere(other, result)}
                ran_before = (test for test in order[: result.position] if test not in elsewhere)
                before = tuple(_node_ids(ran_before, resolver))
                suspects.append(Suspect(node_id, result.failure, before))
        findings.extend(_unread(report))
    return Sorted(tuple(suspects), tuple(findings))


def _followers(report: Report) -> dict[int, TestResult]:
    """The origin of each failure that only follows from another, by its position."""
    return {follower.position: cascade.origin for cascade in cascades(report.failing) for follower in cascade.followers}


def _sample(reports: Sequence[Report], resolver: Resolver) -> frozenset[tuple[str, int]]:
    """Path and position of the failures to try: the first of each kind, the most frequent kinds first."""
    kinds: dict[str, list[tuple[str, int]]] = {}
    for report in reports:
        followers = _followers(report)
        for result in report.failing:
            known = isinstance(resolver.resolve(result.id, result.attempts[-1].file), str)
            if known and result.position not in followers:
                kinds.setdefault(_words(result), []).append((report.path, result.position))
    by_size = sorted(kinds.values(), key=len, reverse=True)
    firsts = [kind[0] for kind in by_size]
    others = [place for kind in by_size for place in kind[1:]]
    return frozenset([*firsts, *others][:MASS_SAMPLE])


def _words(result: TestResult) -> str:
    """What a failure says, wherever it was raised."""
    return signature(replace(result.failure, file="")) if result.failure else ""


def _elsewhere(other: TestResult, result: TestResult) -> bool:
    """Whether both are known to have run in different processes."""
    return bool(other.worker and result.worker and other.worker != result.worker)


def _name(test: TestId, resolver: Resolver) -> str:
    node_id = resolver.resolve(test)
    return node_id if isinstance(node_id, str) else str(test)


def _node_ids(tests: Iterable[TestId], resolver: Resolver) -> Iterator[str]:
    for test in tests:
        if isinstance(node_id := resolver.resolve(test), str):
            yield node_id


def _told(result: TestResult, test: str, verdict: VerdictName, why: str) -> Finding:
    failure = result.failure
    return Finding(
        test=test,
        verdict=verdict,
        grade=Grade.SUSPECTED,
        why=why,
        failure=failure,
        signature=signature(failure) if failure else "",
        family=family(failure) if failure else "",
        arms=(),
    )


def _inconclusive(result: TestResult, test: str, reason: Reason, detail: str) -> Finding:
    told = _told(result, test, VerdictName.INCONCLUSIVE, f"{reason.value}: {detail}")
    return replace(told, reason=reason)


def _could_not_rerun(result: TestResult, why: Unresolved) -> Finding:
    return _inconclusive(result, str(result.id), Reason.COULD_NOT_RERUN, why.reason)


def _part_of_mass(result: TestResult, node_id: str, mass: MassFailure) -> Finding:
    return _inconclusive(result, node_id, Reason.MASS_FAILURE, f"{mass.why}; {MASS_SAMPLE} of them were tried")


def _follower(result: TestResult, node_id: str, origin: str) -> Finding:
    why = f"{origin} failed before it in the same process with a fault that outlives its test"
    return replace(_told(result, node_id, VerdictName.CROSS_TEST_CONTAMINATION, why), polluter=origin)


def _unread(report: Report) -> Iterator[Finding]:
    """A report that is not there, or stops in the middle, is a finding: it never means that nothing failed."""
    if report.unread is not None and report.unread.kind == ABSENT:
        reason, detail = Reason.RUNNER_CRASHED, report.unread.detail
    elif not report.complete and not report.failing:
        reason, detail = Reason.REPORT_INCOMPLETE, "the report ends early and tells no failure"
    elif report.counts.not_run and not report.failing:
        unfinished = counted(report.counts.not_run, "test")
        reason, detail = Reason.RUNNER_CRASHED, f"{unfinished} started and never finished, and no failure is told"
    else:
        return
    yield Finding(
        test=report.path,
        verdict=VerdictName.INCONCLUSIVE,
        grade=Grade.SUSPECTED,
        why=f"{reason.value}: {detail}",
        failure=None,
        signature="",
        family="",
        arms=(),
        reason=reason,
    )
