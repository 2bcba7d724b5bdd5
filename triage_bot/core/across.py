"""What the tests that ran before have to do with it: nothing, work left in flight, or state left behind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from triage_bot.core.arms import Arm, Isolation
from triage_bot.core.contrasts import Contrast, Effect, limit
from triage_bot.core.evidence import Design, Evidence, Reading
from triage_bot.core.findings import Grade, Leaker, Reason
from triage_bot.core.polluter import Known, Narrowing, Polluter, narrow
from triage_bot.core.verdicts import (
    CrossTestContamination,
    Flaky,
    Inconclusive,
    OrderDependent,
    Undecided,
    Verdict,
)
from triage_bot.core.witness import left_by, testify_against


def narrowing(
    design: Design, evidence: Evidence, held: Arm, found: Mapping[Arm, Contrast]
) -> Narrowing | Polluter | None:
    """Where the search for the polluter stands; None while it is not known whether there is one."""
    drained = _drained(held, found)
    alone = found[_alone(held)]
    if alone.effect is not Effect.CURED:
        return None
    if drained is not None and drained.effect not in (Effect.CURED, Effect.UNMOVED):
        return None
    usable = [read.reading for read in evidence.under(held) if read.usable]
    # One failure and one pass more than were seen: a rate of 1 would let a single lucky pass clear the polluter.
    rate = (usable.count(Reading.ALIKE) + 1) / (len(usable) + 2)
    proof = 1.0 if alone.p_value <= limit(design, evidence, held, alone.arm) else design.alpha
    known = Known(rate, _suspicion(evidence, drained), evidence.usable(alone.arm), proof)
    return narrow(evidence.before, evidence.narrowing, known)


def across_tests(
    design: Design, evidence: Evidence, held: Arm, found: Mapping[Arm, Contrast], *, over: bool = False
) -> Verdict | Undecided:
    """The verdict on a failure that is held with its predecessors. ``over``: name no polluter rather than search on."""
    alone, drained = found[_alone(held)], _drained(held, found)
    if alone.effect is Effect.UNMOVED:
        return Flaky(Grade.CONFIRMED, alone.p_value)
    if alone.effect is Effect.CURED and drained is not None and drained.effect is Effect.NOT_COVERED:
        detail = "it needs the tests before it, but what they left in flight could not be drained"
        return Inconclusive(Reason.ARM_NOT_COVERED, detail, alone.p_value)
    where = narrowing(design, evidence, held, found)
    if where is None or (isinstance(where, Narrowing) and not over):
        return Undecided()
    polluter = where.test if isinstance(where, Polluter) else None
    if polluter is None and alone.p_value > limit(design, evidence, held, alone.arm):
        return Undecided()
    p_value = max(one.p_value for one in found.values() if one.effect is Effect.CURED)
    if drained is None or drained.effect is Effect.UNMOVED:
        return OrderDependent(polluter, p_value)
    return _contamination(evidence, drained, polluter, p_value)


def _suspicion(evidence: Evidence, drained: Contrast | None) -> Mapping[str, float]:
    """Where draining cures it, whoever left work is suspect, and the more the longer it was."""
    if drained is None or drained.effect is not Effect.CURED:
        return {}
    observations = evidence.observations(drained.arm)
    return left_by(observations, evidence.before)


def _contamination(evidence: Evidence, drained: Contrast, polluter: str | None, p_value: float) -> Verdict:
    observations = evidence.observations(drained.arm)
    witness = testify_against(observations, polluter) if polluter else None
    proven = witness is not None and witness.leaker is Leaker.TEST
    return CrossTestContamination(Grade.CONFIRMED if proven else Grade.SUSPECTED, polluter, witness, p_value)


def _alone(held: Arm) -> Arm:
    return replace(held, in_order=False)


def _drained(held: Arm, found: Mapping[Arm, Contrast]) -> Contrast | None:
    """None where neither the test nor any before it put work on a device."""
    return found.get(held.with_isolation(Isolation.DRAINED))
