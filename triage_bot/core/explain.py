"""A verdict in words: the finding that a person reads."""

from __future__ import annotations

from dataclasses import dataclass

from triage_bot.core.alike import signature
from triage_bot.core.arms import AS_IS, Isolation
from triage_bot.core.controls import ONE_AT_A_TIME
from triage_bot.core.evidence import Evidence, Reading
from triage_bot.core.findings import ArmTally, Finding, Grade, Leaker, Witness
from triage_bot.core.leftover import left_behind
from triage_bot.core.stats import excluded_rate, rate_interval
from triage_bot.core.verdicts import (
    Broken,
    CrossPhaseContamination,
    CrossTestContamination,
    Finds,
    Flaky,
    Healthy,
    Inconclusive,
    NotReproduced,
    OrderDependent,
    OrderingBug,
    TimeSensitive,
    VacuousControl,
    Verdict,
)
from triage_bot.core.witness import runs_on


@dataclass(frozen=True)
class Clean:
    """A test without a failure: nothing was reported, nothing was seen, so there is nothing to find."""

    test: str
    """Node id."""
    arms: tuple[ArmTally, ...]
    """In the order of their first trial."""
    excluded_rate: float
    """As-is failure rates from here up are ruled out with 95 % confidence; 1.0 without a pass."""


def tell(test: str, verdict: Verdict, evidence: Evidence) -> Finding | Clean:
    """The finding of a verdict; ``Clean`` when there is no failure to find anything about."""
    if isinstance(verdict, Healthy):
        passes = sum(read.usable for read in evidence.under(AS_IS))
        return Clean(test, evidence.tallies(), excluded_rate(passes))
    as_is = evidence.under(AS_IS)
    failure = evidence.explained
    return Finding(
        test=test,
        verdict=verdict.name,
        grade=verdict.grade,
        why=_why(verdict, evidence),
        failure=failure,
        signature=signature(failure) if failure else "",
        family=evidence.family,
        arms=evidence.tallies(),
        reason=verdict.reason if isinstance(verdict, Inconclusive) else None,
        p_value=verdict.p_value,
        latent=evidence.latent,
        rate=rate_interval(evidence.alike(AS_IS), sum(read.usable for read in as_is)) if as_is else None,
        witness=verdict.witness if isinstance(verdict, (CrossPhaseContamination, CrossTestContamination)) else None,
        polluter=verdict.polluter if isinstance(verdict, (CrossTestContamination, OrderDependent)) else None,
    )


def _why(verdict: Finds, evidence: Evidence) -> str:  # noqa: PLR0911 - one return a verdict
    match verdict:
        case CrossPhaseContamination():
            return _why_contamination(verdict, evidence)
        case OrderingBug(grade=grade):
            return _RACE if grade is Grade.CONFIRMED else f"{_RACE}; or it is a deadline on the device's own work"
        case TimeSensitive(grade=Grade.SUSPECTED) if evidence.alike(ONE_AT_A_TIME):
            return (
                "delays make it fail, so does running one operation at a time, and it speaks of time: "
                "a deadline, unless some claim in it wants a race"
            )
        case TimeSensitive(grade=Grade.SUSPECTED):
            return (
                "only delays make it fail, and it had asked the device and knew that the work was not done: "
                "it waits for too short a time, unless a race is behind it"
            )
        case TimeSensitive():
            return (
                "delays alone make it fail, even one operation at a time: it races the clock or another host thread, "
                "not work on the device"
            )
        case CrossTestContamination() | OrderDependent():
            return _why_across(verdict, evidence)
        case Broken(failures=failures):
            low = rate_interval(failures, failures)[0]
            return (
                f"it failed alike in all {failures} trials, whatever the arm: it fails at least {low:.0%} of the time"
            )
        case VacuousControl():
            return "its control phase never raced, so the test proves nothing on this device"
        case Flaky():
            return _why_flaky(evidence)
        case NotReproduced():
            return f"it never failed so again; {_ruled_out(evidence)}"
        case Inconclusive(reason=reason, detail=detail):
            return f"{reason.value}: {detail}"


_RACE = (
    "draining between phases changes nothing and running one operation at a time makes it pass: "
    "two operations of one phase race, so a wait is missing in the code under test"
)


def _why_contamination(verdict: CrossPhaseContamination, evidence: Evidence) -> str:
    left = describe(verdict.witness)
    if verdict.witness.leaker is Leaker.CODE_UNDER_TEST:
        return f"{left}; the code under test returned with work in flight: is that its contract?"
    if runs_on(verdict.witness, evidence.observations(verdict.drained)):
        return (
            f"{left}, a stream that is used again; drained there, the failure is gone: either that phase should wait "
            "for its work, or it is meant to run on, and a wait for it is missing where its data is used next"
        )
    if verdict.grade is Grade.CONFIRMED:
        return f"{left}; it ran into the next phase, and with that work drained the failure is gone"
    return f"{left}; whether that work causes the failure was not proven"


def _why_across(verdict: CrossTestContamination | OrderDependent, evidence: Evidence) -> str:
    by = verdict.polluter or f"one of the {len(evidence.before)} tests before it"
    needs = f"it never fails alone, and does after {by}"
    if verdict.polluter and evidence.narrowing:
        needs += f" (found in {len(evidence.narrowing)} further trials)"
    if isinstance(verdict, OrderDependent):
        return f"{needs}{_why_state(evidence)}"
    left = f": {describe(verdict.witness)}" if verdict.witness else ""
    return f"{needs}, unless the device is drained in between, so what passes on is work in flight{left}"


def _why_state(evidence: Evidence) -> str:
    """Never claims that draining changed nothing where there was nothing to drain."""
    drained = any(tally.arm.in_order and tally.arm.isolation is Isolation.DRAINED for tally in evidence.tallies())
    how = ", drained or not" if drained else ", and none of them was seen to use a device"
    named = left_behind(evidence.explained)
    kind = f"; by the words of the failure, {named.value}" if named else ""
    return f"{how}: what passes on is state, not work in flight{kind}"


def describe(witness: Witness) -> str:
    """The leftover work in words: how much, on which stream, after which statement."""
    boundary = witness.boundary
    longest = boundary.residues[0]
    after = f"the {boundary.statement} of {boundary.site.function}" if boundary.phase else f"`{boundary.statement}`"
    milliseconds = f"{1000 * longest.seconds:.1f}".removesuffix(".0")
    return f"{milliseconds} ms of work were left on {longest.stream.name} after {after}"


def _why_flaky(evidence: Evidence) -> str:
    reads = [read for read in evidence.under(AS_IS) if read.usable]
    failed = evidence.alike(AS_IS)
    after = [
        read for read in evidence.reads if read.usable and read.trial.arm.in_order and not read.trial.arm.isolation
    ]
    met = sum(read.reading is Reading.ALIKE for read in after)
    if met and not failed:
        return (
            f"it fails in {met} of {len(after)} trials after the tests before it and in none of {len(reads)} alone, "
            "which was not proven to be more than chance"
        )
    elsewhere = max(evidence.tallies(), key=lambda tally: tally.failed)
    if not failed and elsewhere.failed:
        return (
            f"it failed in {elsewhere.failed} of {elsewhere.runs} trials under {elsewhere.arm} and in none of "
            f"{len(reads)} as-is, which was not proven to be more than chance"
        )
    low, high = rate_interval(failed, len(reads))
    rate = f"it fails as-is in {failed} of {len(reads)} trials ({low:.0%} to {high:.0%})"
    return f"{rate}, and no arm was shown to move it" if evidence.probed else f"{rate}; it is not a stream test"


def _ruled_out(evidence: Evidence) -> str:
    passes = sum(read.usable for read in evidence.under(AS_IS))
    rate = excluded_rate(passes)
    return f"a failure rate of {rate:.0%} or more would have shown in {passes} as-is trials with 95 % probability"
