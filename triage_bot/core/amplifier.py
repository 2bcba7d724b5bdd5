"""The search for an amplifier: the first arm under which the failure is frequent.

Its trials never enter a comparison: an arm that was chosen because it failed looks worse than it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum, auto, unique

from triage_bot.core.arms import AS_IS, HASTY, STRETCHED, Arm
from triage_bot.core.contrasts import futile
from triage_bot.core.evidence import Design, Evidence, Reading

LAST_LOOKS = 10
"""Trials in the order of the report until its failure counts as one that does not come again: 39 % show twice."""


@dataclass(frozen=True)
class Looking:
    """The search is not over."""

    next: Arm
    """What to try next."""


@dataclass(frozen=True)
class Amplifier:
    """The failure is frequent under this arm; ``as-is`` when it needs no amplifier."""

    arm: Arm


@dataclass(frozen=True)
class NoAmplifier:
    """Nothing makes the failure frequent."""


@unique
class _Standing(Enum):
    FREQUENT = auto()
    RARE = auto()
    OPEN = auto()


def seek(design: Design, evidence: Evidence) -> Looking | Amplifier | NoAmplifier:
    """Where the search stands: candidates are tried in order of their cost, and the first frequent one is held.

    One that turns out to be rare once it is compared was chosen by luck, and the search goes on behind it.
    """
    for arm in _candidates(evidence):
        standing = _standing(evidence, arm)
        if standing is _Standing.FREQUENT and not futile(design, evidence, arm):
            return Amplifier(arm)
        if standing is _Standing.OPEN:
            return Looking(arm)
    return _as_reported(design, evidence)


def _as_reported(design: Design, evidence: Evidence) -> Looking | Amplifier | NoAmplifier:
    """The last resort: what failed after other tests and never alone is tried after them for longer."""
    if not evidence.before or evidence.alike(AS_IS):
        return NoAmplifier()
    arm = replace(AS_IS, in_order=True)
    reads = evidence.under(arm, search=True)
    hits = sum(read.reading is Reading.ALIKE for read in reads)
    if hits >= 2 and not futile(design, evidence, arm):
        return Amplifier(arm)
    return Looking(arm) if hits < 2 and len(reads) < LAST_LOOKS else NoAmplifier()


def _candidates(evidence: Evidence) -> Iterator[Arm]:
    yield AS_IS
    if evidence.probed:
        yield STRETCHED
    if evidence.before:
        yield replace(AS_IS, in_order=True)
        if evidence.probed_in_order:
            yield replace(STRETCHED, in_order=True)
    if not evidence.probed:
        return
    yield HASTY
    for eager in (False, True) if evidence.loads_lazily else (False,):
        # The streams are read when they are needed: by then the first trials have named them.
        for stream in evidence.streams:
            yield Arm(skewed=stream.name, eager=eager)


def _standing(evidence: Evidence, arm: Arm) -> _Standing:
    """By itself a failure is frequent at 3 of 3, stretched at the first one, otherwise at 2 of 2, or of 3.

    A stretched trial is the usual door to a leak: the comparison that follows tells soon enough if it was chance.
    """
    reads = evidence.under(arm, search=True)
    hits = sum(read.reading is Reading.ALIKE for read in reads)
    misses = len(reads) - hits
    if arm == AS_IS:
        enough, patience = 3, 1
    elif arm.stretched and not arm.hasty:
        enough, patience = 1, 2
    else:
        # A slowed stream shows a missing wait at once, unless the host itself was late just then: look again. Where
        # kernels are loaded at their first use, loading them early is another look. What a predecessor left is met
        # or not, too: whether work is still in flight is a matter of time.
        looks = 2 if not arm.skewed else 1 if evidence.loads_lazily else 3
        enough, patience = 2, max(looks, 2) if hits else looks
    if misses >= patience:
        return _Standing.RARE
    return _Standing.FREQUENT if hits >= enough else _Standing.OPEN
