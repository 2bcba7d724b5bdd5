"""Comparing arms: interleaved rounds, their pairs, and what varying the isolation did to the failure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, unique

from triage_bot.core.arms import AS_IS, Arm, Isolation
from triage_bot.core.evidence import Design, Evidence, Read, Reading
from triage_bot.core.stats import fisher_one_sided

COMPARABLE = 0.2
"""Above this p-value two arms fail alike equally often, as far as a look can tell: 5 of 5 against 3 of 5 does."""
PATIENCE = 2
"""An arm that gave so many unusable trials and no usable one is given up: each may cost a whole timeout."""
FUTILE = {5: 0, 10: 2}
"""Rounds → failures of the held arm with which no later look can be expected to prove anything."""

PROMISING = 0.1
"""Highest p-value with which an arm that never failed is worth another comparison, under an amplifier."""

Round = dict[Arm, Read]


@unique
class Effect(str, Enum):
    """What the varied arm did to the failure."""

    CURED = "cured"
    """It never failed alike, and the held arm did: proven at a look."""
    UNMOVED = "unmoved"
    """It fails alike as often as the held arm."""
    REDUCED = "reduced"
    """It fails alike, but provably less often."""
    NOT_COVERED = "not-covered"
    """It fails alike, but the probes could not isolate all that ran; or it gives no usable trial at all."""
    OPEN = "open"
    """Too few usable pairs, or too small a difference."""


@dataclass(frozen=True)
class Contrast:
    """The held arm against one that differs in a single choice."""

    arm: Arm
    """The varied arm."""
    pairs: int
    """Usable pairs that the comparison rests on; 0 before the first look."""
    p_value: float
    """Exact, one-sided: the held arm fails alike more often. 1.0 before the first look."""
    effect: Effect


def chain(evidence: Evidence, held: Arm) -> tuple[Arm, ...]:
    """The arms to compare with ``held``, in the order in which they are worth their trials."""
    if held.in_order:
        alone = replace(held, in_order=False)
        return (alone, held.with_isolation(Isolation.DRAINED)) if evidence.probed_in_order else (alone,)
    if not evidence.probed:
        return ()
    isolated = tuple(held.with_isolation(isolation) for isolation in Isolation)
    return (*isolated, AS_IS) if held.amplified else isolated


def rounds(evidence: Evidence, held: Arm) -> list[Round]:
    """The compared trials of a held arm, round by round: a new round starts when an arm comes again."""
    arms = {held, *chain(evidence, held)}
    found: list[Round] = []
    for read in evidence.reads:
        # The held arm opens the first round: what was compared with another one before is no partner of it.
        if read.trial.search or read.trial.arm not in arms or (not found and read.trial.arm != held):
            continue
        if not found or read.trial.arm in found[-1]:
            found.append({})
        found[-1][read.trial.arm] = read
    return found


def contrast(design: Design, evidence: Evidence, held: Arm, arm: Arm) -> Contrast:
    """What ``arm`` did to the failure, at the last look that its pairs have reached."""
    pairs, p_value = _compared(design, evidence, held, (held, arm))
    # What comes after other tests is believed sooner: whether one of them is to blame is a search of its own.
    alpha = design.alpha / _attempts(evidence) if held.in_order else limit(design, evidence, held, arm)
    return Contrast(arm, pairs, p_value, _effect(alpha, evidence, arm, pairs, p_value))


def stays(design: Design, evidence: Evidence, held: Arm, arm: Arm, cured: Arm) -> bool:
    """Whether the failure provably comes more often under ``arm`` than under ``cured``, both compared with ``held``."""
    return _compared(design, evidence, held, (arm, cured))[1] <= design.alpha / _attempts(evidence)


def contrasts(design: Design, evidence: Evidence, held: Arm) -> dict[Arm, Contrast]:
    """One contrast for each arm of the chain."""
    return {arm: contrast(design, evidence, held, arm) for arm in chain(evidence, held)}


def refuted(evidence: Evidence, arm: Arm) -> bool:
    """Whether the next arm of the chain is worth trying: this one failed alike, or is given up."""
    return _given_up(evidence, arm) or evidence.alike(arm) > 0


def futile(design: Design, evidence: Evidence, held: Arm) -> bool:
    """Whether comparing the held arm proves nothing: it fails too rarely, or all its trials did not prove a cure."""
    reads = [round_[held] for round_ in rounds(evidence, held) if held in round_]
    rare = any(
        len(reads) >= look and sum(read.reading is Reading.ALIKE for read in reads[:look]) <= failures
        for look, failures in FUTILE.items()
    )
    if rare or not design.looks or not exhausted(design, evidence, held):
        return rare
    found = contrasts(design, evidence, held).values()
    if any(one.effect in (Effect.CURED, Effect.REDUCED) for one in found):
        return False
    # What comes by itself needs no amplifier, unless an arm may keep it away and it came too rarely to prove that.
    return held.amplified or any(one.p_value <= PROMISING and not evidence.alike(one.arm) for one in found)


def exhausted(design: Design, evidence: Evidence, held: Arm) -> bool:
    """Whether the held arm has had all its compared trials."""
    return len(evidence.under(held, search=False)) >= design.cap


def _compared(design: Design, evidence: Evidence, held: Arm, arms: tuple[Arm, Arm]) -> tuple[int, float]:
    """Usable pairs of two arms at the last look, and the p-value that the first fails alike more often."""
    pairs = [
        tuple(round_[arm] for arm in arms)
        for round_ in rounds(evidence, held)
        if all(arm in round_ and round_[arm].usable for arm in arms)
    ]
    pairs = pairs[: _last_look(design, evidence, held, len(pairs))]
    failed = [sum(pair[side].reading is Reading.ALIKE for pair in pairs) for side in (0, 1)]
    return len(pairs), fisher_one_sided(failed[0], len(pairs), failed[1], len(pairs))


def _last_look(design: Design, evidence: Evidence, held: Arm, pairs: int) -> int:
    if exhausted(design, evidence, held):
        return pairs
    return max((look for look in design.looks if look <= pairs), default=0)


def _given_up(evidence: Evidence, arm: Arm) -> bool:
    reads = evidence.under(arm, search=False)
    return len(reads) >= PATIENCE and not any(read.usable for read in reads)


def limit(design: Design, evidence: Evidence, held: Arm, arm: Arm) -> float:
    """Highest p-value that proves by itself that ``arm`` makes the failure rarer.

    A failure that does not come every time may stay away by luck, and draining inside loops holds up the host, which
    may close a window now and then: both take more to believe.
    """
    always = all(read.reading is Reading.ALIKE for read in evidence.under(held) if read.usable)
    believed = always and arm.isolation is not Isolation.DRAINED_DEEP
    return design.alpha / _attempts(evidence) / (1 if believed else 10)


def _attempts(evidence: Evidence) -> int:
    """How many amplifiers were held and compared: with each one there is another chance to be fooled."""
    held = {read.trial.arm for read in evidence.reads if read.trial.arm.amplified and not read.trial.search}
    return max(len({arm for arm in held if arm.isolation is None and not arm.patched}), 1)


def _effect(alpha: float, evidence: Evidence, arm: Arm, pairs: int, p_value: float) -> Effect:
    failing = [read for read in evidence.under(arm, search=False) if read.reading is Reading.ALIKE]
    if _given_up(evidence, arm):
        return Effect.NOT_COVERED
    if failing and all(_uncovered(read, arm.isolation) for read in failing):
        return Effect.NOT_COVERED
    if p_value <= alpha:
        return Effect.REDUCED if failing else Effect.CURED
    if failing and pairs and p_value > COMPARABLE:
        return Effect.UNMOVED
    return Effect.OPEN


def _uncovered(read: Read, isolation: Isolation | None) -> bool:
    """Whether this trial may have failed alike only because the isolation did not reach all that ran.

    A pass needs no cover: what little the isolation did reach was enough.
    """
    gaps = read.trial.observation.coverage.gaps
    if isolation is None:
        return False
    if isolation is Isolation.SERIALIZED:
        return bool(gaps)
    return any(gap.startswith("hook-missing:") or gap == "no-line-boundaries" for gap in gaps)
