"""Whether a finding still needs a person, and what follows from that for the whole run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, unique

from triage_bot.core.findings import Finding, Grade, Leaker, Reason, Triage, VerdictName


@unique
class Standing(str, Enum):
    """Where a finding stands with the people who read it. Exactly one holds."""

    NEEDS_YOU = "needs you"
    ACCEPTED = "accepted"
    """A maintainer excused it on this head."""
    LATENT = "latent"
    """Real, but only an amplifier shows it: no check was red for it."""
    EXPLAINED = "explained"
    """Proven to be a leak of the test itself."""


@unique
class Conclusion(str, Enum):
    """What the check run says."""

    FAILURE = "failure"
    NEUTRAL = "neutral"
    SUCCESS = "success"


@dataclass(frozen=True)
class Acceptance:
    """A maintainer's word that one finding may stand, on one head."""

    test: str
    """Node id."""
    login: str
    reason: str


@dataclass(frozen=True)
class Case:
    """A finding with what a reader must know beside it."""

    finding: Finding
    job: str
    """The job it comes from; empty when the comment is about one job only."""
    standing: Standing
    acceptance: Acceptance | None
    """Present exactly with ``ACCEPTED``."""


_URGENCY = (
    VerdictName.ORDERING_BUG,
    VerdictName.BROKEN,
    VerdictName.INFRASTRUCTURE,
    VerdictName.CROSS_TEST_CONTAMINATION,
    VerdictName.CROSS_PHASE_CONTAMINATION,
    VerdictName.ORDER_DEPENDENT,
    VerdictName.TIME_SENSITIVE,
    VerdictName.VACUOUS_CONTROL,
    VerdictName.FLAKY,
    VerdictName.INCONCLUSIVE,
    VerdictName.NOT_REPRODUCED,
)
"""What a reader should see first."""


def explained(finding: Finding) -> bool:
    """Whether nothing is left to do for a person: a confirmed leak, and the leaker is the test itself.

    Nothing else counts. A guard that failed once and passed again is not explained by having passed.
    """
    contaminated = finding.verdict in (VerdictName.CROSS_PHASE_CONTAMINATION, VerdictName.CROSS_TEST_CONTAMINATION)
    return (
        contaminated
        and finding.grade is Grade.CONFIRMED
        and finding.witness is not None
        and finding.witness.leaker is Leaker.TEST
    )


def cases(triages: Sequence[Triage], acceptances: Sequence[Acceptance] = ()) -> tuple[Case, ...]:
    """Every finding, the most urgent first, in an order that does not depend on the order of the files."""
    several = len({triage.source.job for triage in triages}) > 1
    word = {acceptance.test: acceptance for acceptance in acceptances}
    found = []
    for triage in triages:
        for finding in triage.findings:
            acceptance = word.get(finding.test)
            job = triage.source.job if several else ""
            found.append(Case(finding, job, _standing(finding, acceptance), acceptance))
    return tuple(sorted(found, key=lambda case: (_URGENCY.index(case.finding.verdict), case.finding.test, case.job)))


def untriaged(triages: Sequence[Triage]) -> int:
    """How many failures of the reports have no finding."""
    return sum(
        max(0, triage.summary.failed + triage.summary.errored - sum(not f.latent for f in triage.findings))
        for triage in triages
    )


def mass_failure(triages: Sequence[Triage]) -> bool:
    """Whether so much failed at once that it is one event."""
    return any(finding.reason is Reason.MASS_FAILURE for triage in triages for finding in triage.findings)


def conclusion(triages: Sequence[Triage], acceptances: Sequence[Acceptance] = ()) -> Conclusion:
    """``failure`` while anything needs a person, ``success`` only when nothing failed at all."""
    found = cases(triages, acceptances)
    incomplete = not all(triage.complete for triage in triages) or untriaged(triages) > 0
    if incomplete or any(case.standing is Standing.NEEDS_YOU for case in found):
        return Conclusion.FAILURE
    return Conclusion.NEUTRAL if found else Conclusion.SUCCESS


def worth_telling(triages: Sequence[Triage]) -> bool:
    """Whether a pull request that has no comment yet gets one: not for a run in which simply everything passed."""
    return (
        any(triage.findings or not triage.complete or triage.summary.flaky for triage in triages)
        or untriaged(triages) > 0
    )


def _standing(finding: Finding, acceptance: Acceptance | None) -> Standing:
    if acceptance is not None:
        return Standing.ACCEPTED
    if explained(finding):
        return Standing.EXPLAINED
    return Standing.LATENT if finding.latent else Standing.NEEDS_YOU
