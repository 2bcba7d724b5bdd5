"""A report as a whole: what it says of its tests, each counted once, and what is odd about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

from triage_bot.core.findings import Counts, Problem
from triage_bot.core.results import RETRIED, Outcome, TestId, TestResult
from triage_bot.core.suites import Claims, SuiteTests
from triage_bot.core.wording import counted

ABSENT = "runner-crashed"
"""Kind of the problem that an expected report is not there."""
REFUSED = "refused"
"""Kind of the problem that a file cannot be read, or must not be."""


@dataclass(frozen=True)
class Report:
    """What one report file says."""

    path: str
    """As given; ``archive.zip!member.xml`` inside an archive."""
    complete: bool
    """Whether it was well-formed, of a known kind, and read to its end."""
    counts: Counts
    results: tuple[TestResult, ...]
    """The tests that did more than pass once or be skipped once, in order."""
    problems: tuple[Problem, ...]
    suites: tuple[SuiteTests, ...] = ()
    """In the order in which they begin."""

    def order(self) -> Iterator[TestId]:
        """Every test, in the order of the report; a result's ``position`` counts in it."""
        for suite in self.suites:
            yield from (test for test, _ in suite)

    def skipped(self) -> Iterator[TestId]:
        """The tests that were skipped, and never tried otherwise."""
        for suite in self.suites:
            yield from (test for test, attempts in suite if all(one.outcome is Outcome.SKIPPED for one in attempts))

    @property
    def unread(self) -> Problem | None:
        """Why nothing at all could be read; None for every report that was read, if only in part."""
        return next((problem for problem in self.problems if problem.kind in (ABSENT, REFUSED)), None)

    @property
    def failing(self) -> tuple[TestResult, ...]:
        """The tests that turn a check red."""
        return tuple(result for result in self.results if result.outcome.bad)

    @property
    def flaky(self) -> tuple[TestResult, ...]:
        """The tests that were bad and passed when they were tried again."""
        return tuple(result for result in self.results if result.flaky)


def assemble(path: str, suites: Sequence[SuiteTests], problems: Sequence[Problem], complete: bool) -> Report:
    """The report that these suites make, with what is odd about their headers and counts."""
    results: list[TestResult] = []
    total = skipped = 0
    found = [*problems]
    for suite in suites:
        remarkable = list(suite.remarkable(total))
        found += _header_problems(suite, remarkable, complete)
        results += remarkable
        total += len(suite)
        skipped += suite.skipped_once
    counts = _count(results, total, skipped)
    found += _content_problems(results, counts) if suites or not found else []
    return Report(path, complete, counts, tuple(results), tuple(found), tuple(suites))


def add_up(counts: Sequence[Counts]) -> Counts:
    """The sum, field by field."""
    return Counts(**{field.name: sum(getattr(one, field.name) for one in counts) for field in fields(Counts)})


def _count(results: Sequence[TestResult], total: int, skipped: int) -> Counts:
    tally = Counter("flaky" if result.flaky else _COUNTED_AS[result.outcome] for result in results)
    passed = total - skipped - len(results) + tally.pop("passed", 0)
    return Counts(tests=total, passed=passed, skipped=skipped + tally.pop("skipped", 0), **tally)


_COUNTED_AS = {
    Outcome.PASSED: "passed",
    Outcome.FAILED: "failed",
    Outcome.TIMED_OUT: "failed",
    Outcome.ERRORED: "errored",
    Outcome.CRASHED: "errored",
    Outcome.SKIPPED: "skipped",
    Outcome.NOT_RUN: "not_run",
}


def _header_problems(suite: SuiteTests, results: Sequence[TestResult], complete: bool) -> Iterator[Problem]:
    kind = "header-mismatch" if complete else "tests-missing"
    name, claims, held = suite.name or "(no name)", suite.claims, suite.elements + suite.within
    retried = sum(attempt is RETRIED for result in results for attempt in result.attempts)
    if retried:
        yield Problem("retries-left-empty", f"suite {name}: {counted(retried, 'attempt')} retried, and no reason left")
    explained = bool(retried) and claims.tests is not None and claims.tests <= suite.elements
    counted_so = (suite.elements, suite.elements - suite.reruns, held)
    if claims.tests is not None and claims.tests not in counted_so and not explained:
        why = _why(claims, suite) if complete else ""
        yield Problem(kind, f"suite {name}: its header counts {counted(claims.tests, 'test')}, it holds {held:,}{why}")
    elif claims.bad is not None and (bool(claims.bad) != bool(suite.bad) or _hidden(claims, suite)):
        yield Problem(kind, f"suite {name}: its header counts {counted(claims.bad, 'failure')}, it holds {suite.bad:,}")
    elif claims.skipped and not suite.skipped:
        yield Problem(kind, f"suite {name}: its header counts {claims.skipped:,} as skipped, it holds none")


def _hidden(claims: Claims, suite: SuiteTests) -> bool:
    """Whether a header knows of more failures than are told, such as those of packages that did not build."""
    return not claims.by_pytest and claims.bad is not None and claims.bad > suite.bad


def _why(claims: Claims, suite: SuiteTests) -> str:
    """Why a header of pytest's may differ from a file that is whole."""
    if not claims.by_pytest or claims.tests is None:
        return ""
    if claims.tests > suite.elements:
        return " (pytest counts each subtest there)"
    return " (what looks passed may be an attempt that was retried and never finished)"


def _content_problems(results: Sequence[TestResult], counts: Counts) -> Iterator[Problem]:
    if not counts.tests:
        yield Problem("no-tests", "no test ran, as far as this report tells")
    if counts.tests and counts.skipped == counts.tests:
        yield Problem("all-skipped", f"{counted(counts.tests, 'test')} and every one skipped: that is not a pass")
    if counts.not_run:
        yield Problem("unfinished", f"{counted(counts.not_run, 'test')} started and never finished")
    unimported = [result for result in results if result.failure and result.failure.when == "collect"]
    if unimported:
        names = ", ".join(str(result.id) for result in unimported[:5])
        yield Problem(
            "not-collected", f"{counted(len(unimported), 'module')} did not import, and no test of theirs ran: {names}"
        )
