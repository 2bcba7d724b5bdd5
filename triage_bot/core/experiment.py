"""The plan of trials: what to run next, and why. Deterministic, so that a journal read again leads to the same step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from triage_bot.core.across import narrowing
from triage_bot.core.amplifier import Looking, seek
from triage_bot.core.arms import AS_IS, Arm, Isolation
from triage_bot.core.contrasts import Effect, chain, contrast, contrasts, refuted, rounds
from triage_bot.core.controls import ONE_AT_A_TIME
from triage_bot.core.delays import unasked
from triage_bot.core.evidence import Design, Evidence
from triage_bot.core.judgement import EVERY_ARM, held_arm, judge, rests
from triage_bot.core.polluter import Narrowing
from triage_bot.core.signatures import VACUOUS_CONTROL
from triage_bot.core.trials import Trial
from triage_bot.core.verdicts import Undecided


@dataclass(frozen=True)
class Step:
    """The next trial."""

    arm: Arm
    search: bool
    """It looks for a failure or an amplifier, and enters no comparison."""
    purpose: str
    """The question that it answers, in words for a person."""
    before: tuple[str, ...] = ()
    """Node ids of the tests to run before it, in the same process."""


@dataclass(frozen=True)
class Done:
    """No further trial would change the verdict."""


_QUESTIONS = {
    None: "how often does it fail so?",
    Isolation.DRAINED: "does it need work left over from an earlier phase?",
    Isolation.DRAINED_DEEP: "does it need work left over from an iteration or a helper?",
    Isolation.SERIALIZED: "does it need concurrency on the device?",
}


def next_step(design: Design, trials: Sequence[Trial]) -> Step | Done:
    """The trial that is worth the most now."""
    evidence = Evidence.of(design, trials)
    if not isinstance(judge(design, evidence), Undecided):
        return Done()
    if evidence.family == VACUOUS_CONTROL:
        return Step(AS_IS, search=True, purpose="does its control phase race here?")
    sought = seek(design, evidence)
    if isinstance(sought, Looking):
        return _step(evidence, sought.next, search=True, purpose=_search_purpose(sought.next))
    if evidence.explained is None:
        return Step(AS_IS, search=True, purpose="does it ever fail?")
    held = held_arm(design, evidence)
    assert held is not None, "the search is over"
    if unasked(design, evidence, held):
        return _step(evidence, ONE_AT_A_TIME, search=True, purpose="does it fail because nothing raced?")
    return _compare(design, evidence, held)


def _step(evidence: Evidence, arm: Arm, *, search: bool, purpose: str) -> Step:
    return Step(arm, search, purpose, evidence.before if arm.in_order else ())


def _search_purpose(arm: Arm) -> str:
    if arm.in_order:
        return "does it fail after the tests that ran before it?"
    if arm.skewed:
        late = ", kernels loaded early" if arm.eager else ""
        return f"does it fail when {arm.skewed} runs slow{late}?"
    if arm.hasty:
        return "does it fail when streams are late and the host is not?"
    return "does it fail when waits are stretched?" if arm.stretched else "does it fail by itself?"


def _compare(design: Design, evidence: Evidence, held: Arm) -> Step:
    if held.in_order and isinstance(
        narrowed := narrowing(design, evidence, held, contrasts(design, evidence, held)), Narrowing
    ):
        asked = f"is it one of these {len(narrowed.next)} of {len(evidence.before)} tests that it cannot stand?"
        return Step(held, search=True, purpose=asked, before=narrowed.next)
    if rests(design, evidence, held):
        return Step(AS_IS, search=False, purpose="how often does it fail by itself?")
    playing = _playing(design, evidence, held)
    if evidence.probed and not playing and evidence.always_alike:
        arm = min(EVERY_ARM, key=lambda arm: len(evidence.under(arm, search=False)))
        return Step(arm, search=False, purpose="does any arm make it pass?")
    arm = _next_in_round(evidence, held, playing)
    question = _QUESTIONS[arm.isolation]
    if arm == AS_IS:
        question = "how often does it fail by itself?"
    elif held.in_order and not arm.in_order:
        question = "does it need the tests that ran before it?"
    return _step(evidence, arm, search=False, purpose=question)


def _playing(design: Design, evidence: Evidence, held: Arm) -> list[Arm]:
    """The arms that are worth a trial: each once the one before it is refuted, until its own question is settled.

    From half of the rounds on all are, once the first is refuted: the last would have too few rounds left.
    """
    arms = chain(evidence, held)
    half = len(evidence.under(held, search=False)) >= design.cap // 2
    late = half and any(refuted(evidence, arm) for arm in arms[:1])
    playing = []
    for arm in arms:
        if contrast(design, evidence, held, arm).effect not in (Effect.UNMOVED, Effect.NOT_COVERED):
            playing.append(arm)
        if not held.in_order and not late and not refuted(evidence, arm):
            break
    return playing


def _next_in_round(evidence: Evidence, held: Arm, playing: Sequence[Arm]) -> Arm:
    """Round after round each arm once, who is first alternating, so that drift of the machine favours none."""
    so_far = rounds(evidence, held)
    arms = [held, *playing]
    current = so_far[-1] if so_far else {}
    pending = [arm for arm in arms if arm not in current]
    if not pending:
        so_far, current, pending = [*so_far, {}], {}, arms
    before = so_far[-2] if len(so_far) > 1 else {}
    if len(so_far) % 2 == 0:
        # A new arm comes last even in a round that runs backwards: only a known arm may mark where a round starts.
        pending = [*(arm for arm in reversed(pending) if arm in before), *(a for a in pending if a not in before)]
    return pending[0]
