"""What ``inspect`` shows a person: what failed, what was retried, what never ran, what is odd about the file.

Text of a report reaches the terminal only without its control characters: a test's name must not move the cursor.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from triage_bot.adapters.plain import WIDTH, plain
from triage_bot.core.alike import masked, signature
from triage_bot.core.cascades import cascades, mass_failure
from triage_bot.core.findings import Counts
from triage_bot.core.memory import holder
from triage_bot.core.reports import Report, add_up
from triage_bot.core.results import Failure, Outcome, TestResult, folded
from triage_bot.core.signatures import OUT_OF_MEMORY, family
from triage_bot.core.wording import counted

_Shown = TypeVar("_Shown")

MOST_SHOWN = 50
"""Lines under one heading; the rest is counted. Of more failures than that, those that say the same share a line."""
_COLOUR = re.compile("(?:\x1b|#x1B|\ufffd)\\[[0-9;]*m")
"""A change of colour, as it was, as pytest spells it in a report, or as a repair left it."""


def render(reports: Sequence[Report]) -> str:
    """The whole display as text, without a final line end."""
    blocks = ["\n".join(_report(report)) for report in reports]
    if len(reports) > 1:
        blocks.append(f"total: {_counts(add_up([report.counts for report in reports]))}")
    return "\n\n".join(blocks)


def _report(report: Report) -> Iterator[str]:
    whole = "" if report.complete or report.unread else "  (incomplete)"
    yield f"{plain(report.path)}: {'not read' if report.unread else _counts(report.counts)}{whole}"
    yield from _events(report)
    yield from _failures(report.failing)
    in_the_end = [result for result in report.flaky if result.attempts[-1].outcome is Outcome.PASSED]
    yield from _section("retried, passed in the end", in_the_end, _retried)
    yield from _section("passed, and failed", [it for it in report.flaky if it not in in_the_end], _retried)
    unfinished = [result for result in report.results if result.outcome is Outcome.NOT_RUN]
    named = [result for result in unfinished if result.id.name or result.id.classname]
    yield from _section("never finished", named, lambda result: plain(str(result.id)))
    if len(named) < len(unfinished):
        yield f"  never finished, and the report does not name them: {counted(len(unfinished) - len(named), 'test')}"
    for problem in report.problems:
        yield f"  odd: {problem.kind}: {plain(problem.detail)}"


def _events(report: Report) -> Iterator[str]:
    counts = report.counts
    mass = mass_failure(len(report.failing), counts.tests - counts.skipped - counts.not_run, MOST_SHOWN)
    if mass is not None:
        yield f"  likely one event: {mass.why}"
    for cascade in cascades(report.failing):
        where = f" in {plain(cascade.worker)}" if cascade.worker else ""
        followers = counted(len(cascade.followers), "failure")
        yield f"  likely one event{where}: {followers} after {plain(str(cascade.origin.id))}"


def _failures(failing: Sequence[TestResult]) -> Iterator[str]:
    if len(failing) <= MOST_SHOWN:
        yield from _section("failed", failing, _failed)
        return
    same: dict[str, list[TestResult]] = {}
    for result in failing:
        same.setdefault(_saying(result), []).append(result)
    yield from _section("failed, the first of those that say the same", [*same.values()], _first)


def _section(heading: str, shown: Sequence[_Shown], line: Callable[[_Shown], str]) -> Iterator[str]:
    if shown:
        yield f"  {heading}:"
    for one in shown[:MOST_SHOWN]:
        yield f"    {line(one)}"
    if len(shown) > MOST_SHOWN:
        yield f"    and {len(shown) - MOST_SHOWN:,} more"


def _saying(result: TestResult) -> str:
    """What a test's failure says, wherever it was raised."""
    failure = result.failure or Failure("", "")
    return signature(replace(failure, file="")) if failure.message else masked(_last_line(failure.output))


def _first(same: Sequence[TestResult]) -> str:
    rest = f"\n        and {counted(len(same) - 1, 'test')} more" if len(same) > 1 else ""
    return _failed(same[0]) + rest


def _failed(result: TestResult) -> str:
    bad = sum(attempt.outcome.bad for attempt in folded(result.attempts))
    name = f"{result.id} ({bad} attempts)" if bad > 1 else str(result.id)
    failure = result.failure
    if failure is None:
        return plain(name)
    place = f"{failure.file}:{failure.line}: " if failure.file else ""
    said = ": ".join(part for part in (failure.type, failure.message) if part) or _last_line(failure.output)
    sort = _sort(failure)
    return _told(name, place + said, f"  [{sort}]" if sort else "")


def _told(name: str, words: str, mark: str = "") -> str:
    """A test and what is said of it, on one line if they fit: neither may push the other off its end."""
    head, tail = plain(name), plain(" ".join(_COLOUR.sub("", words).split())) + mark
    if not tail:
        return head
    return f"{head}  {tail}" if len(head) + len(tail) < WIDTH else f"{head}\n        {tail}"


def _last_line(output: str) -> str:
    return next((line.strip() for line in reversed(output.splitlines()) if line.strip()), "")


def _sort(failure: Failure) -> str:
    name = family(failure)
    whose = holder(failure.message) if name == OUT_OF_MEMORY else None
    return f"{name}, {whose.value}" if whose else name


def _retried(result: TestResult) -> str:
    attempts = folded(result.attempts)
    bad = [attempt for attempt in attempts if attempt.outcome.bad]
    failure = next((attempt.failure for attempt in bad if attempt.failure), Failure("", ""))
    sort = _sort(failure)
    words = f"failed {len(bad)} of {len(attempts)}: {failure.message or failure.type or _last_line(failure.output)}"
    return _told(str(result.id), words, f"  [{sort}]" if sort else "")


def _counts(counts: Counts) -> str:
    if not counts.tests:
        return "no tests"
    named = (
        (counts.failed, "failed"),
        (counts.errored, "errored"),
        (counts.flaky, "flaky"),
        (counts.passed, "passed"),
        (counts.skipped, "skipped"),
        (counts.not_run, "never finished"),
    )
    return f"{counted(counts.tests, 'test')}: " + ", ".join(f"{count:,} {name}" for count, name in named if count)
