"""What delays alone explain: a deadline, a test that would wait no longer, a race of the host with the device."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto, unique

from triage_bot.core.arms import AS_IS, Arm
from triage_bot.core.contrasts import Contrast, Effect, contrasts
from triage_bot.core.controls import ONE_AT_A_TIME
from triage_bot.core.deadlines import speaks_of_patience, speaks_of_time
from triage_bot.core.evidence import Design, Evidence, Reading
from triage_bot.core.findings import Grade, Reason
from triage_bot.core.verdicts import Flaky, Inconclusive, TimeSensitive, Undecided, Verdict

POLLING = 10
"""Answers in vain, one after the other, that only somebody gets who waits; fewer may be those of a display."""


@unique
class Patience(Enum):
    """Whether a test that passes serialized is early, or impatient.

    Serialized, the delays pass before it begins to wait, so the impatient one passes like a race.
    """

    LOST = auto()
    """It knew that the device was not done, and would wait no longer."""
    UNCLEAR = auto()
    """It speaks of time, or was told now and then that the device was not done."""
    NONE = auto()
    """Nothing says that it waits at all."""


def patience_of(evidence: Evidence, held: Arm) -> Patience:
    """What the failing trials of an amplifier tell of it, in their words and in what they asked the device."""
    if not held.amplified:
        return Patience.NONE
    failing = [read.trial.observation for read in evidence.under(held) if read.reading is Reading.ALIKE]
    asked = min((seen.asked_in_vain for seen in failing), default=0)
    if asked >= POLLING or (asked and speaks_of_patience(evidence.explained)):
        return Patience.LOST
    return Patience.UNCLEAR if asked or speaks_of_time(evidence.explained) else Patience.NONE


def unasked(design: Design, evidence: Evidence, held: Arm) -> bool:
    """Whether it is time to see if it fails because nothing raced: no isolation moves it, and only delays bring it.

    A stream that runs slow may have closed the window of a control that wants a race: there that is asked at once.
    """
    if not held.amplified or evidence.under(ONE_AT_A_TIME):
        return False
    found = contrasts(design, evidence, held)
    unmoved = all(one.effect in (Effect.UNMOVED, Effect.NOT_COVERED) for arm, one in found.items() if arm.isolation)
    return held.skewed is not None or (AS_IS in found and unmoved and _needs_delay(design, found[AS_IS]))


def delayed(design: Design, evidence: Evidence, found: Mapping[Arm, Contrast]) -> Verdict | Undecided:
    """The verdict where no isolation moves a failure that an amplifier brings."""
    as_is = found[AS_IS]
    if not _needs_delay(design, as_is):
        smallest = min(one.p_value for one in found.values())
        return Flaky(Grade.CONFIRMED, smallest) if as_is.effect is Effect.UNMOVED else Undecided()
    if not evidence.under(ONE_AT_A_TIME):
        return Undecided()
    if evidence.alike(ONE_AT_A_TIME) and speaks_of_time(evidence.explained):
        return TimeSensitive(as_is.p_value, Grade.SUSPECTED)
    if evidence.alike(ONE_AT_A_TIME):
        detail = "it also fails with no delay at all when nothing runs at once, so some claim in it wants a race"
        return Inconclusive(Reason.ARMS_CONTRADICT, detail, as_is.p_value)
    if any(one.effect is Effect.NOT_COVERED for one in found.values()):
        return not_covered(as_is.p_value, "the amplifier matters, but not all that ran could be isolated")
    return TimeSensitive(as_is.p_value)


def not_covered(p_value: float | None, detail: str) -> Inconclusive:
    """The verdict where a comparison would rest on what the probes could not see."""
    return Inconclusive(Reason.ARM_NOT_COVERED, detail, p_value)


def _needs_delay(design: Design, as_is: Contrast) -> bool:
    """A failure that also comes by itself may differ between two arms by luck: that takes more to believe."""
    rarer = as_is.effect is Effect.REDUCED and as_is.p_value <= design.alpha / 10
    return as_is.effect is Effect.CURED or rarer
