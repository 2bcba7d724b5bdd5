"""Rerun: from names and reports to a triage of everything that failed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from triage_bot.core.explain import Clean
from triage_bot.core.findings import Environment, Finding, Grade, Problem, Source, Triage, VerdictName
from triage_bot.core.reports import REFUSED, Report, add_up
from triage_bot.core.resolve import Resolver
from triage_bot.core.selection import Ambiguous, Missing, select
from triage_bot.core.signatures import INFRASTRUCTURE
from triage_bot.core.suspects import Suspect, sort_out
from triage_bot.core.trials import Trial
from triage_bot.errors import LabError, UnreadableInputError, UsageError
from triage_bot.ports import Clock, Lab
from triage_bot.workflows.triage import Policy, Stop, Watcher, triage


@dataclass(frozen=True)
class Request:
    """What is to be explained."""

    names: Sequence[str]
    """Node ids, or unique parts of them."""
    reports: Sequence[Report]
    max_failures: int
    """More failures than this are one event."""
    source: Source
    """Where the triage is made."""


@dataclass(frozen=True)
class Rerun:
    """A triage, and the tests that turned out to have nothing to find."""

    triage: Triage
    clean: tuple[Clean, ...]
    stopped: Stop | None = None
    """What ended the run before its end."""


def rerun(  # noqa: PLR0913 - as triage(): the ports and the policy of one run
    request: Request, lab: Lab, clock: Clock, policy: Policy, watcher: Watcher, *, prior: Mapping[str, Sequence[Trial]]
) -> Rerun:
    """Explain what the request names. ``UsageError`` for a name that is not one test's, before any trial."""
    _refuse(request.reports)
    node_ids = [test.node_id for test in lab.collected()]
    named = [Suspect(_selected(name, node_ids)) for name in request.names]
    sorted_out = sort_out(request.reports, Resolver(node_ids), request.max_failures)
    suspects = list({suspect.test: suspect for suspect in [*named, *sorted_out.suspects]}.values())
    told = triage(suspects, lab, clock, policy, watcher, prior=prior)
    findings = (*(_by_its_text(finding) for finding in told.findings), *sorted_out.findings)
    remarks = [*lab.remarks(), *([_ended_early(told.stopped)] if told.stopped is not None else [])]
    return Rerun(_document(request, findings, lab.environment(), remarks), told.clean, told.stopped)


def _ended_early(stopped: Stop) -> str:
    return f"the run was ended early: {stopped if isinstance(stopped, LabError) else 'it was interrupted'}"


def without_trials(request: Request) -> Rerun | None:
    """What the reports tell when they hold no failure and no test is named; None when something must be tried."""
    _refuse(request.reports)
    if request.names or any(report.failing for report in request.reports):
        return None
    findings = sort_out(request.reports, Resolver(()), request.max_failures).findings
    return Rerun(_document(request, findings, Environment(), ()), ())


def _refuse(reports: Sequence[Report]) -> None:
    """``UnreadableInputError`` for a report that cannot be read: what it hides may be the failure."""
    for report in reports:
        if report.unread is not None and report.unread.kind == REFUSED:
            raise UnreadableInputError(
                f"{report.path}: {report.unread.detail}", "have the test runner write the report again"
            )


def _selected(name: str, node_ids: Sequence[str]) -> str:
    chosen = select(name, node_ids)
    if isinstance(chosen, Ambiguous):
        listed = "\n".join(f"    {candidate}" for candidate in chosen.candidates[:_LISTED])
        more = len(chosen.candidates) - _LISTED
        rest = f"\n    and {more} more" if more > 0 else ""
        raise UsageError(
            f"{len(chosen.candidates)} tests have {name!r} in their name:\n{listed}{rest}", "name one of them in full"
        )
    if isinstance(chosen, Missing):
        near = "".join(f"\n    {candidate}" for candidate in chosen.near)
        advice = f"did you mean{near}" if near else "see `pytest --collect-only` for what there is"
        if not node_ids:
            raise UsageError("the suite has no tests", advice)
        raise UsageError(f"none of the suite's {len(node_ids)} tests has {name!r} in its name", advice)
    return chosen


_LISTED = 20


def _by_its_text(finding: Finding) -> Finding:
    """A failure that no rerun repeats and that speaks of the machine: its text makes that suspected, no more."""
    if finding.verdict is not VerdictName.NOT_REPRODUCED or finding.family != INFRASTRUCTURE:
        return finding
    why = f"its text is that of a fault of the machine, and {finding.why}"
    return replace(finding, verdict=VerdictName.INFRASTRUCTURE, grade=Grade.SUSPECTED, why=why)


def _document(
    request: Request, findings: tuple[Finding, ...], environment: Environment, remarks: Sequence[str]
) -> Triage:
    problems = [
        Problem(problem.kind, f"{report.path}: {problem.detail}")
        for report in request.reports
        for problem in report.problems
    ]
    return Triage(
        source=request.source,
        environment=environment,
        summary=add_up([report.counts for report in request.reports]),
        complete=all(report.complete for report in request.reports),
        problems=(*problems, *(Problem("lab", remark) for remark in remarks)),
        findings=findings,
    )
