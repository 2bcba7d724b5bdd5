"""The result of a triage: one finding a failing test. The domain side of ``triage.json``."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, unique

from triage_bot.core.arms import Arm
from triage_bot.core.results import Failure
from triage_bot.core.trials import Boundary


@unique
class VerdictName(str, Enum):
    """The names that are read from outside."""

    CROSS_PHASE_CONTAMINATION = "cross-phase-contamination"
    ORDERING_BUG = "ordering-bug"
    TIME_SENSITIVE = "time-sensitive"
    BROKEN = "broken"
    CROSS_TEST_CONTAMINATION = "cross-test-contamination"
    ORDER_DEPENDENT = "order-dependent"
    VACUOUS_CONTROL = "vacuous-control"
    INFRASTRUCTURE = "infrastructure"
    FLAKY = "flaky"
    NOT_REPRODUCED = "not-reproduced"
    INCONCLUSIVE = "inconclusive"


@unique
class Reason(str, Enum):
    """Why nothing could be concluded."""

    BUDGET_SPENT = "budget-spent"
    ARMS_CONTRADICT = "arms-contradict"
    ARM_NOT_COVERED = "arm-not-covered"
    RUNNER_CRASHED = "runner-crashed"
    COULD_NOT_RERUN = "could-not-rerun"
    REPORT_INCOMPLETE = "report-incomplete"
    MASS_FAILURE = "mass-failure"
    MIXED_CONDITIONS = "mixed-conditions"


@unique
class Grade(str, Enum):
    """How well a verdict is founded."""

    CONFIRMED = "confirmed"
    SUSPECTED = "suspected"


@unique
class Leaker(str, Enum):
    """Whose stream it was that still had work."""

    TEST = "test"
    CODE_UNDER_TEST = "code-under-test"


@dataclass(frozen=True)
class ArmTally:
    """What the trials under one arm came to."""

    arm: Arm
    runs: int
    failed: int
    """Failed alike."""
    failed_otherwise: int
    seconds: float


@dataclass(frozen=True)
class Witness:
    """The boundary at which leftover work was seen, and whose it was."""

    leaker: Leaker
    boundary: Boundary


@dataclass(frozen=True)
class Remedy:
    """A source change that was tried before it is shown."""

    file: str
    """Relative to the suite's root."""
    diff: str
    """Unified diff."""
    tried: ArmTally


@dataclass(frozen=True)
class Finding:
    """What a triage found out about one failing test."""

    test: str
    """Node id."""
    verdict: VerdictName
    grade: Grade
    why: str
    """One sentence."""
    failure: Failure | None
    """The failure that was explained; None when none was ever seen."""
    signature: str
    """Canonical text of what makes another failure alike; empty without a failure."""
    family: str
    """Family of the failure's text (``guard``, ``vacuous-control``, ``sticky-cuda``, …); empty when none matches."""
    arms: tuple[ArmTally, ...]
    """In the order of their first trial."""
    reason: Reason | None = None
    """Only with ``inconclusive``."""
    p_value: float | None = None
    latent: bool = False
    """Only an amplifier shows it: real, not yet biting."""
    rate: tuple[float, float] | None = None
    """As-is failure rate, 95 % interval."""
    witness: Witness | None = None
    polluter: str | None = None
    """Node id of the test that ran before it and caused it."""
    remedy: Remedy | None = None


@dataclass(frozen=True)
class Counts:
    """Tests of a run, each counted once whatever its attempts."""

    tests: int = 0
    passed: int = 0
    failed: int = 0
    errored: int = 0
    skipped: int = 0
    flaky: int = 0
    not_run: int = 0


@dataclass(frozen=True)
class Problem:
    """Something odd about a report."""

    kind: str
    detail: str


@dataclass(frozen=True)
class Source:
    """Where a triage was made; told by the environment, never trusted as an identity."""

    repository: str = ""
    sha: str = ""
    run_id: int = 0
    run_attempt: int = 0
    job: str = ""
    event: str = ""


@dataclass(frozen=True)
class Environment:
    """What it was made on. Empty strings where unknown."""

    runtime: str = ""
    device: str = ""
    driver: str = ""
    torch: str = ""
    python: str = ""


@dataclass(frozen=True)
class Triage:
    """A whole ``triage.json``."""

    source: Source
    environment: Environment
    summary: Counts
    complete: bool
    """Whether every report could be read to its end."""
    problems: tuple[Problem, ...]
    findings: tuple[Finding, ...]
