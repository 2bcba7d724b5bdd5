"""One JUnit report out of those that were read and what their triage found, in the dialect that reporters know best.

A verdict is a property and never a result: what failed in a report fails in this one. Streams: a passed test is written
and forgotten.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from junitparser import Error, Failure, Skipped
from junitparser.xunit2 import FlakyError, FlakyFailure, InterimResult, RerunError, RerunFailure, TestCase
from lxml import etree

from triage_bot.core.arms import AS_IS
from triage_bot.core.findings import Finding, Triage
from triage_bot.core.reports import Report
from triage_bot.core.resolve import Resolver, reported
from triage_bot.core.results import Attempt, Outcome, TestId, TestResult
from triage_bot.core.suites import ONCE_SKIPPED, SuiteTests

MOST_RERUNS = 10
"""Failed trials of one test that are written as reruns; the property ``arms`` counts them all."""
_UNWRITABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_report(path: Path, reports: Sequence[Report], triage: Triage) -> None:
    """Write the merged report; a file that was there is replaced once the new one is whole."""
    found = {finding.test: finding for finding in triage.findings}
    resolver = Resolver(found)
    partial = path.with_name(f"{path.name}.partial")
    with etree.xmlfile(str(partial), encoding="utf-8") as document, document.element("testsuites", name="triage-bot"):
        for report in reports:
            for suite, results in _by_suite(report):
                _write_suite(document, suite, results, _findings_of(results, resolver, found))
        if found:
            _write_findings(document, list(found.values()))
    partial.replace(path)


def _by_suite(report: Report) -> Iterator[tuple[SuiteTests, dict[int, TestResult]]]:
    """The suites of a report, each with its remarkable results by their place in it."""
    results, start = {result.position: result for result in report.results}, 0
    for suite in report.suites:
        places = range(start, start + len(suite))
        yield suite, {place - start: results[place] for place in places if place in results}
        start += len(suite)


def _findings_of(
    results: Mapping[int, TestResult], resolver: Resolver, found: dict[str, Finding]
) -> dict[int, Finding]:
    """The finding on each failing test, which is then taken out of ``found``."""
    told: dict[int, Finding] = {}
    for place, result in results.items():
        node_id = resolver.resolve(result.id, result.attempts[-1].file)
        if isinstance(node_id, str) and (result.outcome.bad or result.flaky) and node_id in found:
            told[place] = found.pop(node_id)
    return told


def _write_suite(
    document: Any, suite: SuiteTests, results: Mapping[int, TestResult], findings: Mapping[int, Finding]
) -> None:
    if not len(suite):
        return
    cases = {place: _case(result, place, findings.get(place)) for place, result in results.items()}
    with document.element("testsuite", _header(suite.name, len(suite), list(cases.values()), suite.skipped_once)):
        for place, (test, attempts) in enumerate(suite):
            if place in cases:
                document.write(_xml(cases[place]))
                continue
            with document.element("testcase", _identity(test, place)):
                if attempts is ONCE_SKIPPED:
                    document.write(etree.Element("skipped"))


def _write_findings(document: Any, findings: Sequence[Finding]) -> None:
    """The tests that were triaged without a report of them."""
    cases = []
    for place, finding in enumerate(findings):
        case = _named(TestId(*reported(finding.test)), place)
        _tell(case, finding)
        if finding.failure is not None and not finding.latent:
            case.result = [_element(Failure, finding.failure.message, finding.failure.type, finding.failure.text)]
        cases.append(case)
    with document.element("testsuite", _header("triage-bot", len(cases), cases)):
        for case in cases:
            document.write(_xml(case))


def _case(result: TestResult, place: int, finding: Finding | None) -> TestCase:
    case = _named(result.id, place)
    for name, value in (pair for attempt in result.attempts for pair in attempt.properties):
        case.add_property(_legal(name), _legal(value))
    if finding is not None:
        _tell(case, finding)
    main = _decisive(result)
    others = [attempt for attempt in result.attempts if attempt.outcome.bad and (result.flaky or attempt is not main)]
    teardowns = [attempt for attempt in others if not result.flaky and _ended_its_test(attempt)]
    if main is None:
        case.result = [Skipped()] if result.outcome is Outcome.SKIPPED else []
    elif result.outcome is Outcome.NOT_RUN:
        case.result = [Error("started and never finished", "not-run")]
    elif not result.flaky:
        case.result = [_told(attempt, Failure, Error) for attempt in (main, *teardowns)]
    kinds = (FlakyFailure, FlakyError) if result.flaky else (RerunFailure, RerunError)
    for attempt in (attempt for attempt in others if attempt not in teardowns):
        case.add_interim_result(_told(attempt, *kinds))
    for _ in range(_failed_as_is(finding) if result.outcome.bad else 0):
        case.add_interim_result(RerunFailure("failed alike in a trial as it is"))
    return case


def _ended_its_test(attempt: Attempt) -> bool:
    """Whether it is the failed teardown of the attempt before it."""
    return attempt.failure is not None and attempt.failure.when == "teardown" and not attempt.retry


def _decisive(result: TestResult) -> Attempt | None:
    """The attempt that is written as the result; None for a test that is skipped or passed."""
    if result.outcome is Outcome.NOT_RUN:
        return result.attempts[-1]
    return next((attempt for attempt in result.attempts if attempt.failure and attempt.failure is result.failure), None)


def _tell(case: TestCase, finding: Finding) -> None:
    case.add_property("verdict", finding.verdict.value)
    case.add_property("grade", finding.grade.value)
    case.add_property("why", _legal(finding.why))
    arms = "; ".join(f"{tally.arm} {tally.failed}/{tally.runs}" for tally in finding.arms)
    case.add_property("arms", _legal(arms))


def _failed_as_is(finding: Finding | None) -> int:
    failed = sum(tally.failed for tally in finding.arms if tally.arm == AS_IS) if finding else 0
    return min(failed, MOST_RERUNS)


def _told(attempt: Attempt, as_failure: type, as_error: type) -> Any:
    kind = as_failure if attempt.outcome in (Outcome.FAILED, Outcome.TIMED_OUT) else as_error
    failure = attempt.failure
    return _element(kind, failure.message, failure.type, failure.text) if failure else kind("")


def _element(kind: type, message: str, type_: str, text: str) -> Any:
    element = kind(_legal(message), _legal(type_) or None)
    if not text:
        return element
    if issubclass(kind, InterimResult):
        element.stack_trace = _legal(text)
    else:
        element.text = _legal(text)
    return element


def _xml(case: TestCase) -> Any:
    return etree.fromstring(case.tostring())  # type: ignore[no-untyped-call]  # junitparser has no types there


def _named(test: TestId, place: int) -> TestCase:
    identity = _identity(test, place)
    return TestCase(identity["name"], identity.get("classname"))


def _identity(test: TestId, place: int) -> dict[str, str]:
    """The attributes that name a test; two without a name must stay two tests for whoever reads them."""
    identity = {"name": _legal(test.name) or f"(no name {place + 1})"}
    return {"classname": _legal(test.classname), **identity} if test.classname else identity


def _header(name: str, tests: int, cases: Sequence[TestCase], skipped: int = 0) -> dict[str, str]:
    results = [result for case in cases for result in case.result]
    counts = {
        "tests": tests,
        "failures": sum(isinstance(result, Failure) for result in results),
        "errors": sum(isinstance(result, Error) for result in results),
        "skipped": skipped + sum(isinstance(result, Skipped) for result in results),
    }
    return {"name": _legal(name) or "tests", **{key: str(count) for key, count in counts.items()}}


def _legal(text: str) -> str:
    """The text with what XML forbids spelled out, as pytest spells it."""
    return _UNWRITABLE.sub(lambda match: f"#x{ord(match[0]):02X}", text)
