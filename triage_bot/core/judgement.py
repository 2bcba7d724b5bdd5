"""From evidence to a verdict: which pattern of arms proves what.

The same rules stop the experiment and name its result, so no trial runs after the answer is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from triage_bot.core.across import across_tests, narrowing
from triage_bot.core.amplifier import Amplifier, Looking, seek
from triage_bot.core.arms import AS_IS, STRETCHED, Arm, Isolation
from triage_bot.core.contrasts import Contrast, Effect, contrasts, exhausted, futile, stays
from triage_bot.core.delays import Patience, delayed, not_covered, patience_of
from triage_bot.core.evidence import Design, Evidence, Reading
from triage_bot.core.findings import Grade, Leaker, Reason
from triage_bot.core.polluter import Narrowing
from triage_bot.core.signatures import VACUOUS_CONTROL
from triage_bot.core.stats import fisher_one_sided
from triage_bot.core.unproven import suspicion, unproven
from triage_bot.core.verdicts import (
    Broken,
    CrossPhaseContamination,
    Flaky,
    Healthy,
    Inconclusive,
    OrderingBug,
    TimeSensitive,
    Undecided,
    VacuousControl,
    Verdict,
)
from triage_bot.core.witness import runs_on, testify
from triage_bot.core.wording import counted

NEARLY_ALWAYS = 0.9
"""A flake that fails this often is the hardest to tell from a broken test."""
MISTAKEN = 0.005
"""How often such a flake may fail every time and be called broken for certain: 51 failures in a row."""
LIKELY = 0.05
"""Highest p-value with which something is suspected that is not proven."""
ENOUGH_PASSES = 5
"""As-is trials after which a test without any failure, or with a vacuous control, is left alone."""
EVERY_ARM = tuple(arm.with_isolation(isolation) for isolation in (None, *Isolation) for arm in (AS_IS, STRETCHED))
"""The arms under which a test that always fails is tried before it is called broken."""
_DRAINS = (Isolation.DRAINED, Isolation.DRAINED_DEEP)


def judge(design: Design, evidence: Evidence, *, over: bool = False) -> Verdict | Undecided:
    """The verdict of these trials; ``Undecided`` while more of them would tell.

    ``over``: no more will come, because the budget is spent. Then there is always a verdict.
    """
    verdict = _judge(design, evidence)
    return _cut_short(design, evidence) if over and isinstance(verdict, Undecided) else verdict


def held_arm(design: Design, evidence: Evidence) -> Arm | None:
    """The arm that is held while others are compared with it; None while the search for it goes on."""
    sought = seek(design, evidence)
    if isinstance(sought, Looking):
        return None
    return sought.arm if isinstance(sought, Amplifier) else AS_IS


def rests(design: Design, evidence: Evidence, held: Arm) -> bool:
    """Whether comparing is over: the held arm has had its trials, or fails too rarely for them to prove anything."""
    return exhausted(design, evidence, held) or futile(design, evidence, held)


def _judge(design: Design, evidence: Evidence) -> Verdict | Undecided:
    if evidence.reads and all(read.reading is Reading.UNUSABLE for read in evidence.reads):
        observation = evidence.reads[0].trial.observation
        why = f": {observation.reason}" if observation.reason else ""
        return Inconclusive(Reason.COULD_NOT_RERUN, f"here it was {observation.outcome.value}{why}")
    if evidence.explained is None:
        return _without_failure(design, evidence)
    if evidence.family == VACUOUS_CONTROL:
        return _vacuous(design, evidence)
    held = held_arm(design, evidence)
    if held is None:
        return Undecided()
    if any(read.usable for read in evidence.reads):
        return _compared(design, evidence, held)
    return _elsewhere(design, evidence)


def _elsewhere(design: Design, evidence: Evidence) -> Verdict | Undecided:
    """Every trial failed, and none in the way that is to be explained."""
    tried = len(evidence.under(AS_IS)) >= min(ENOUGH_PASSES, design.cap)
    detail = "here it fails, but never in the way that was reported"
    return Inconclusive(Reason.MIXED_CONDITIONS, detail) if tried else Undecided()


def _without_failure(design: Design, evidence: Evidence) -> Verdict | Undecided:
    passes = len(evidence.under(AS_IS))
    searched = held_arm(design, evidence) is not None
    return Healthy() if searched and passes >= min(ENOUGH_PASSES, design.cap) else Undecided()


def _vacuous(design: Design, evidence: Evidence) -> Verdict | Undecided:
    """The text says it; one failure of the kind here confirms it."""
    if evidence.alike(AS_IS):
        return VacuousControl(Grade.CONFIRMED)
    tried = len(evidence.under(AS_IS)) >= min(ENOUGH_PASSES, design.cap)
    return VacuousControl(Grade.SUSPECTED) if tried else Undecided()


def _compared(design: Design, evidence: Evidence, held: Arm) -> Verdict | Undecided:
    found = contrasts(design, evidence, held)
    if held.in_order:
        verdict = across_tests(design, evidence, held, found)
        searching = isinstance(narrowing(design, evidence, held, found), Narrowing)
        finished = isinstance(verdict, Undecided) and not searching and _finished(design, evidence, held)
        return unproven(design, evidence, held, found) if finished else verdict
    return _alone(design, evidence, held, found)


def _alone(design: Design, evidence: Evidence, held: Arm, found: Mapping[Arm, Contrast]) -> Verdict | Undecided:
    isolated = {isolation: found[held.with_isolation(isolation)] for isolation in Isolation if found}
    for isolation in _DRAINS:
        if isolated and isolated[isolation].effect is Effect.CURED:
            return _contamination(design, evidence, held, isolated[isolation])
    verdict: Verdict | Undecided = Undecided()
    if isolated and isolated[Isolation.SERIALIZED].effect is Effect.CURED:
        verdict = _race(design, evidence, held, isolated)
    elif isolated and all(one.effect in (Effect.UNMOVED, Effect.NOT_COVERED) for one in isolated.values()):
        verdict = _unmoved(design, evidence, held, found)
    if isinstance(verdict, Undecided) and _finished(design, evidence, held):
        return unproven(design, evidence, held, found)
    return verdict


def _contamination(design: Design, evidence: Evidence, held: Arm, cured: Contrast) -> Verdict | Undecided:
    """A proven difference names no cause by itself: the leftover work must have been seen.

    Without it the difference may be luck, which more trials would show.
    """
    witness = testify(evidence.observations(cured.arm), evidence.explained)
    if witness is None and not rests(design, evidence, held):
        return Undecided()
    if witness is None:
        return Inconclusive(
            Reason.ARMS_CONTRADICT, f"it never fails under {cured.arm}, yet no leftover work was seen", cured.p_value
        )
    orphaned = not runs_on(witness, evidence.observations(cured.arm))
    grade = Grade.CONFIRMED if witness.leaker is Leaker.TEST and orphaned else Grade.SUSPECTED
    return CrossPhaseContamination(grade, witness, cured.arm, cured.p_value)


def _race(design: Design, evidence: Evidence, held: Arm, isolated: Mapping[Isolation, Contrast]) -> Verdict | Undecided:
    """Serialized it is gone: a race. Inside one phase, if it stays where phases are drained, be it less often."""
    serialized = isolated[Isolation.SERIALIZED]
    drains = [isolated[isolation] for isolation in _DRAINS]
    if any(drain.effect is Effect.NOT_COVERED for drain in drains):
        return not_covered(serialized.p_value, "a race, but phase boundaries could not be drained")
    if not all(
        drain.effect is Effect.UNMOVED or stays(design, evidence, held, drain.arm, serialized.arm) for drain in drains
    ):
        comes = rests(design, evidence, held) and _comes(evidence, [drain.arm for drain in drains], serialized.arm)
        return OrderingBug(Grade.SUSPECTED, serialized.p_value) if comes else Undecided()
    patience = patience_of(evidence, held)
    if patience is Patience.LOST:
        return TimeSensitive(serialized.p_value, Grade.SUSPECTED)
    return OrderingBug(Grade.CONFIRMED if patience is Patience.NONE else Grade.SUSPECTED, serialized.p_value)


def _comes(evidence: Evidence, drained: Sequence[Arm], serialized: Arm) -> bool:
    """Whether the failure, however rare it is where phases are drained, is likelier there than serialized."""
    failed, of = (sum(map(count, drained)) for count in (evidence.alike, evidence.usable))
    p_value = fisher_one_sided(failed, of, evidence.alike(serialized), evidence.usable(serialized))
    return all(evidence.alike(arm) > 1 for arm in drained) and p_value <= LIKELY


def _unmoved(design: Design, evidence: Evidence, held: Arm, found: Mapping[Arm, Contrast]) -> Verdict | Undecided:
    """No isolation changes it: host timing, a broken test, or plain chance."""
    uncovered = any(one.effect is Effect.NOT_COVERED for one in found.values())
    smallest = min(one.p_value for one in found.values())
    if held.amplified:
        return delayed(design, evidence, found)
    failures = evidence.always_alike
    if failures and uncovered:
        return not_covered(None, "it fails every time, but not all that ran could be isolated")
    if failures:
        return _broken(design, evidence, failures)
    return _not_always(evidence, smallest, Grade.SUSPECTED if uncovered else Grade.CONFIRMED)


def _broken(design: Design, evidence: Evidence, failures: int) -> Verdict | Undecided:
    certain = NEARLY_ALWAYS**failures <= MISTAKEN
    arms = EVERY_ARM if evidence.probed else (AS_IS,)
    if not certain and any(len(evidence.under(arm, search=False)) < design.cap for arm in arms):
        return Undecided()
    return Broken(Grade.CONFIRMED if certain else Grade.SUSPECTED, failures)


def _not_always(evidence: Evidence, smallest: float, grade: Grade) -> Verdict:
    """It passed at least once: plain chance, unless only stretching it made it pass."""
    plain, stretched = (
        [read for read in evidence.reads if read.usable and read.trial.arm.stretched is side] for side in (False, True)
    )
    failed, failed_stretched = (sum(read.reading is Reading.ALIKE for read in side) for side in (plain, stretched))
    if failed == len(plain) and fisher_one_sided(failed, len(plain), failed_stretched, len(stretched)) <= MISTAKEN:
        return Inconclusive(Reason.ARMS_CONTRADICT, "it fails every time, but less often when it is stretched")
    return Flaky(grade, smallest)


def _finished(design: Design, evidence: Evidence, held: Arm) -> bool:
    """Whether no comparison can come any more, and the as-is rate is as well known as it will be."""
    if not rests(design, evidence, held):
        return False
    return evidence.latent or len(evidence.under(AS_IS, search=False)) >= design.cap


def _cut_short(design: Design, evidence: Evidence) -> Verdict:
    if evidence.explained is None and evidence.reads:
        return Healthy()
    held = held_arm(design, evidence)
    if held and held.in_order:
        verdict = across_tests(design, evidence, held, contrasts(design, evidence, held), over=True)
        if not isinstance(verdict, Undecided):
            return verdict
    if held and (suspected := suspicion(evidence, held, contrasts(design, evidence, held))):
        return suspected
    return Inconclusive(Reason.BUDGET_SPENT, f"the budget ended after {counted(len(evidence.reads), 'trial')}")
