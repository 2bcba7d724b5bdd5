"""What is said when the trials are over and no pattern of arms is proven: a suspicion, a contradiction, chance."""

from __future__ import annotations

from collections.abc import Mapping

from triage_bot.core.arms import AS_IS, Arm, Isolation
from triage_bot.core.contrasts import Contrast, Effect
from triage_bot.core.evidence import Design, Evidence, Reading
from triage_bot.core.findings import Grade, Leaker, Reason
from triage_bot.core.verdicts import (
    Broken,
    CrossPhaseContamination,
    Flaky,
    Inconclusive,
    NotReproduced,
    Verdict,
)
from triage_bot.core.witness import testify


def unproven(design: Design, evidence: Evidence, held: Arm, found: Mapping[Arm, Contrast]) -> Verdict:
    """All trials are spent and no pattern is proven: say what is known."""
    smallest = min((one.p_value for one in found.values()), default=None)
    if failures := evidence.always_alike:
        return Broken(Grade.SUSPECTED, failures)
    if suspected := suspicion(evidence, held, found):
        return suspected
    if detail := _moved(found):
        return Inconclusive(Reason.ARMS_CONTRADICT, detail, smallest)
    failed = any(read.reading is Reading.ALIKE for read in evidence.reads)
    if not failed:
        return _elsewhere(evidence)
    if found and not design.looks:
        return Inconclusive(Reason.BUDGET_SPENT, f"{design.cap} trials an arm can prove nothing")
    return _by_chance(evidence, held, found)


def _by_chance(evidence: Evidence, held: Arm, found: Mapping[Arm, Contrast]) -> Verdict:
    """It failed so at least once. What never passes is no flake, whatever else it says."""
    smallest = min((one.p_value for one in found.values()), default=None)
    as_is = [read.reading for read in evidence.under(AS_IS) if read.reading is not Reading.UNUSABLE]
    if Reading.OTHERWISE in as_is and Reading.CLEAN not in as_is:
        otherwise = f"it never passed as-is, and failed in another way in {as_is.count(Reading.OTHERWISE)}"
        return Inconclusive(Reason.MIXED_CONDITIONS, f"{otherwise} of {len(as_is)} trials", smallest)
    settled = evidence.alike(held) > 0 and all(one.effect is Effect.UNMOVED for one in found.values())
    return Flaky(Grade.CONFIRMED if settled else Grade.SUSPECTED, smallest)


def _elsewhere(evidence: Evidence) -> Verdict:
    """It never failed as reported. That it mostly fails in another way is no reason to call it well."""
    ended = [read for read in evidence.reads if read.reading is not Reading.UNUSABLE]
    otherwise = sum(read.reading is Reading.OTHERWISE for read in ended)
    if 2 * otherwise < len(ended):
        return NotReproduced()
    detail = (
        f"here it fails in another way in {otherwise} of {len(ended)} trials, and never in the one that was reported"
    )
    return Inconclusive(Reason.MIXED_CONDITIONS, detail)


def _moved(found: Mapping[Arm, Contrast]) -> str:
    """What an arm was shown to do, though no pattern of arms was; else empty."""
    if any(arm.isolation and one.effect is Effect.CURED for arm, one in found.items()):
        return "an arm makes it stop, and the others do not tell why"
    if any(one.effect is Effect.REDUCED for one in found.values()):
        return "an arm makes it fail less often, and none makes it stop"
    return ""


def suspicion(evidence: Evidence, held: Arm, found: Mapping[Arm, Contrast]) -> CrossPhaseContamination | None:
    """Leftover work of the test was seen, and no drained trial has failed alike."""
    drained = held.with_isolation(Isolation.DRAINED)
    if held.in_order or evidence.alike(drained):
        return None
    witness = testify(evidence.observations(drained), evidence.explained)
    if witness is None or witness.leaker is not Leaker.TEST:
        return None
    p_value = found[drained].p_value if drained in found and found[drained].pairs else None
    return CrossPhaseContamination(Grade.SUSPECTED, witness, drained, p_value)
