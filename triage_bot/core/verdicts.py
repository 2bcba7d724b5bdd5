"""The verdicts, as types.

What a verdict does not prove: that there is no second cause; that the failure cannot happen another way; that a
test which never failed here never fails. A proven difference alone names no cause: contamination also needs the
witness that saw the leftover work.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from triage_bot.core.arms import Arm
from triage_bot.core.findings import Grade, Reason, VerdictName, Witness


@dataclass(frozen=True)
class Undecided:
    """More trials would tell."""


@dataclass(frozen=True)
class Healthy:
    """Nothing failed, and no failure was reported."""


@dataclass(frozen=True)
class CrossPhaseContamination:
    """Work left over from an earlier phase ran during a later one."""

    name: ClassVar = VerdictName.CROSS_PHASE_CONTAMINATION
    grade: Grade
    witness: Witness
    drained: Arm
    """The arm that cured it, or was seen to drain something."""
    p_value: float | None
    """None when no comparison reached a look."""


@dataclass(frozen=True)
class OrderingBug:
    """A race inside one phase, in the code under test."""

    name: ClassVar = VerdictName.ORDERING_BUG
    grade: Grade
    """Suspected when only an amplifier shows a failure that speaks of time: a deadline on the device reads the same."""
    p_value: float


@dataclass(frozen=True)
class TimeSensitive:
    """Host timing alone: a deadline, or a race between host threads."""

    name: ClassVar = VerdictName.TIME_SENSITIVE
    p_value: float
    grade: Grade = Grade.CONFIRMED
    """Suspected when serialized it passes, as a race does, and it says that it would wait no longer."""


@dataclass(frozen=True)
class CrossTestContamination:
    """Work that an earlier test left in flight ran during this one."""

    name: ClassVar = VerdictName.CROSS_TEST_CONTAMINATION
    grade: Grade
    polluter: str | None
    """Node id; None when no single test was found."""
    witness: Witness | None
    """What the polluter left when it ended."""
    p_value: float


@dataclass(frozen=True)
class OrderDependent:
    """An earlier test changed something that outlives it, and that no draining undoes."""

    name: ClassVar = VerdictName.ORDER_DEPENDENT
    grade: ClassVar = Grade.CONFIRMED
    polluter: str | None
    """Node id; None when no single test was found."""
    p_value: float


@dataclass(frozen=True)
class Broken:
    """It fails alike every time, whatever is done."""

    name: ClassVar = VerdictName.BROKEN
    p_value: ClassVar[float | None] = None
    grade: Grade
    failures: int


@dataclass(frozen=True)
class VacuousControl:
    """The failure says that the control phase never raced."""

    name: ClassVar = VerdictName.VACUOUS_CONTROL
    p_value: ClassVar[float | None] = None
    grade: Grade


@dataclass(frozen=True)
class Flaky:
    """It fails alike sometimes, and no arm moves it."""

    name: ClassVar = VerdictName.FLAKY
    grade: Grade
    p_value: float | None
    """The smallest among the arms; None when none was compared."""


@dataclass(frozen=True)
class NotReproduced:
    """It never failed again."""

    name: ClassVar = VerdictName.NOT_REPRODUCED
    grade: ClassVar = Grade.SUSPECTED
    p_value: ClassVar[float | None] = None


@dataclass(frozen=True)
class Inconclusive:
    """Nothing could be concluded, and why not."""

    name: ClassVar = VerdictName.INCONCLUSIVE
    grade: ClassVar = Grade.SUSPECTED
    reason: Reason
    detail: str
    p_value: float | None = None


Finds: TypeAlias = (
    CrossPhaseContamination
    | OrderingBug
    | TimeSensitive
    | CrossTestContamination
    | OrderDependent
    | Broken
    | VacuousControl
    | Flaky
    | NotReproduced
    | Inconclusive
)
"""The verdicts that find something."""
Verdict: TypeAlias = Finds | Healthy
