"""How often the decision is right: experiments on tests of known truth, drawn from a table of failure rates.

Run ``python -m benchmarks.decision_simulation --runs 300``. It prints verdicts against truths, trials to a verdict, and
the rate of wrong causes. It proves the decision alone: whether an arm really does on a device what its name says is
another measurement.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from triage_bot.core.arms import Arm, Isolation
from triage_bot.core.evidence import Design, Evidence
from triage_bot.core.experiment import Step, next_step
from triage_bot.core.findings import Grade
from triage_bot.core.judgement import judge
from triage_bot.core.results import Failure, Outcome
from triage_bot.core.trials import Boundary, Observation, Residue, Site, StreamUse, Trial
from triage_bot.core.verdicts import Healthy, Undecided

FAILURE = Failure("AssertionError", "3 blocks corrupt", "test_store.py", 41)
STREAMS = tuple(StreamUse(name, Site("test_store.py", line), in_suite=True) for line, name in enumerate("abc", 10))
LEFTOVER = Boundary("control = _drive(...)", Site("test_store.py", 40), (Residue(STREAMS[0], 0.7),))
DRAINS = (Isolation.DRAINED, Isolation.DRAINED_DEEP)
NO_CAUSE = {"flaky", "not-reproduced", "inconclusive", "healthy"}
"""Verdicts that blame nothing: they may miss a cause, and cannot name a wrong one."""


@dataclass(frozen=True)
class Truth:
    """A test whose cause is known: how often it fails alike under each arm."""

    name: str
    verdict: str
    rate: Callable[[Arm], float]
    leftover: bool = False
    reported: bool = True
    stream_test: bool = True
    polluter: int | None = None
    """Which of its ``BEFORE`` it needs to fail as often as under ``in-order``; None when it needs none."""
    late: bool = False
    """Whether the report tells ``BEFORE`` all the same."""
    may_be: frozenset[str] = field(default_factory=frozenset)
    """Verdicts that miss the cause without naming another: the failure is too rare to compare."""


def amplified(arm: Arm, *, as_is: float, stretched: float = 0.0, skewed: float = 0.0) -> float:
    """Failure rate by amplifier alone; a skew matters on stream ``b``."""
    if arm.stretched:
        return stretched
    if arm.skewed is not None:
        return skewed if arm.skewed == "b" else as_is
    return as_is


def leak(as_is: float, stretched: float, *, deep: bool = False) -> Callable[[Arm], float]:
    cured = {Isolation.DRAINED_DEEP, Isolation.SERIALIZED} | (set() if deep else {Isolation.DRAINED})
    return lambda arm: 0.0 if arm.isolation in cured else amplified(arm, as_is=as_is, stretched=stretched)


def race(as_is: float, stretched: float, skewed: float = 1.0, *, needs_eager: bool = False) -> Callable[[Arm], float]:
    def rate(arm: Arm) -> float:
        if arm.isolation is Isolation.SERIALIZED or (needs_eager and arm.skewed and not arm.eager):
            return 0.0
        return amplified(arm, as_is=as_is, stretched=stretched, skewed=skewed)

    return rate


def race_rarer_when_drained(drained: float, deep: float) -> Callable[[Arm], float]:
    """The host is held up at boundaries, which often closes the window, unless a slow stream holds it open."""
    rates = {Isolation.DRAINED: drained, Isolation.DRAINED_DEEP: deep}

    def rate(arm: Arm) -> float:
        if arm.isolation is Isolation.SERIALIZED:
            return 0.0
        return 0.95 if arm.isolation is None or arm.skewed == "b" else rates[arm.isolation]

    return rate


def leak_beside_a_flake(arm: Arm) -> float:
    return 0.15 if arm.isolation else 0.9


def polluted(as_is: float, stretched: float = 1.0, *, state: bool = False) -> Callable[[Arm], float]:
    def rate(arm: Arm) -> float:
        cured = not arm.in_order or (arm.isolation is not None and not state)
        return 0.0 if cured else amplified(arm, as_is=as_is, stretched=stretched)

    return rate


def always(rate: float) -> Callable[[Arm], float]:
    return lambda _: rate


BEFORE = tuple(f"test_store.py::test_{number}" for number in range(200))
BY_A_TEST = Boundary("call", Site("test_store.py", 9, "test_77"), (Residue(STREAMS[0], 0.2),))
CONTAMINATION, ORDERING = "cross-phase-contamination", "ordering-bug"
FLAKE = frozenset({"flaky", "not-reproduced"})
OPEN = frozenset({"inconclusive"})
TRUTHS = (
    Truth("leak, 3 % as-is, stretched always", CONTAMINATION, leak(0.03, 1.0), leftover=True),
    Truth("leak, 3 % as-is, only named", CONTAMINATION, leak(0.03, 1.0), leftover=True, reported=False),
    Truth("leak, stretched 90 %", CONTAMINATION, leak(0.03, 0.9), leftover=True),
    Truth("leak between iterations", CONTAMINATION, leak(0.6, 1.0, deep=True), leftover=True),
    Truth("race, as-is always", ORDERING, race(1.0, 1.0)),
    Truth("race, stretched", ORDERING, race(0.0, 1.0), leftover=True),
    Truth("race, stretched 20 %, skewed always", ORDERING, race(0.0, 0.2)),
    Truth("race, rarer when drained", ORDERING, race_rarer_when_drained(0.95, 0.5), leftover=True, may_be=OPEN),
    Truth("race, rare when drained", ORDERING, race_rarer_when_drained(0.15, 0.35), may_be=OPEN),
    Truth("leak, beside a 15 % flake", CONTAMINATION, leak_beside_a_flake, leftover=True, may_be=OPEN),
    Truth("race, skewed", ORDERING, race(0.0, 0.0), reported=False),
    Truth("race, skewed and eager", ORDERING, race(0.0, 0.0, needs_eager=True)),
    Truth("deadline", "time-sensitive", lambda arm: amplified(arm, as_is=0.0, stretched=1.0, skewed=0.5)),
    Truth("polluted by work, always", "cross-test-contamination", polluted(1.0), polluter=77),
    Truth("polluted by work, stretched", "cross-test-contamination", polluted(0.03), polluter=77),
    Truth("polluted by work, 80 %", "cross-test-contamination", polluted(0.03, 0.8), polluter=77, may_be=FLAKE),
    Truth("polluted by work, 50 %", "cross-test-contamination", polluted(0.5, 0.5), polluter=77, may_be=FLAKE),
    Truth("polluted by work, 30 %", "cross-test-contamination", polluted(0.3, 0.3), polluter=77, may_be=FLAKE),
    Truth("polluted by state, 50 %", "order-dependent", polluted(0.5, 0.5, state=True), polluter=120, may_be=FLAKE),
    Truth("polluted by state", "order-dependent", polluted(1.0, state=True), polluter=0),
    Truth("polluted, not a stream test", "order-dependent", polluted(1.0), stream_test=False, polluter=199),
    Truth("broken", "broken", always(1.0)),
    Truth("broken, only named", "broken", always(1.0), reported=False),
    Truth("healthy, only named", "healthy", always(0.0), reported=False),
    Truth("reported, never again", "not-reproduced", always(0.0)),
    *(
        Truth(f"flake, {rate:.0%}", "flaky", always(rate), may_be=FLAKE)
        for rate in (0.03, 0.1, 0.3, 0.4, 0.5, 0.7, 0.9)
    ),
    *(
        Truth(f"flake, {rate:.0%}, after others", "flaky", always(rate), late=True, may_be=FLAKE)
        for rate in (0.03, 0.1, 0.2, 0.3, 0.5)
    ),
    Truth("flake, 50 %, not a stream test", "flaky", always(0.5), stream_test=False),
)


@dataclass(frozen=True)
class Run:
    """One simulated experiment."""

    verdict: str
    polluter: str | None
    grade: Grade | None
    trials: tuple[Trial, ...]


def simulate(truth: Truth, seed: int, cap: int = 20) -> Run:
    """The experiment on a test of this truth, its chances drawn from a seed."""
    chance = random.Random(seed)
    before = BEFORE if truth.polluter is not None or truth.late else ()
    design = Design(FAILURE if truth.reported else None, before=before, cap=cap)
    trials: list[Trial] = []
    while isinstance(step := next_step(design, trials), Step):
        arm = step.arm if truth.polluter is None else replace(step.arm, in_order=BEFORE[truth.polluter] in step.before)
        seen = observation(truth, arm, failed=chance.random() < truth.rate(arm))
        trials.append(Trial(len(trials), step.arm, seen, step.search, step.before))
    verdict = judge(design, Evidence.of(design, trials))
    assert not isinstance(verdict, Undecided)
    if isinstance(verdict, Healthy):
        return Run("healthy", None, None, tuple(trials))
    return Run(verdict.name.value, getattr(verdict, "polluter", None), verdict.grade, tuple(trials))


def observation(truth: Truth, arm: Arm, *, failed: bool) -> Observation:
    """What a trial of this truth shows."""
    boundaries = (*((LEFTOVER,) if truth.leftover else ()), *((BY_A_TEST,) if truth.polluter == 77 else ()))
    return Observation(
        outcome=Outcome.FAILED if failed else Outcome.PASSED,
        failure=FAILURE if failed else None,
        seconds=1.0,
        streams=STREAMS if truth.stream_test else (),
        boundaries=boundaries if arm.isolation in DRAINS else (),
        loads_lazily=truth.stream_test,
    )


def wrong_cause(truth: Truth, run: Run) -> bool:
    """Whether the verdict blames something that is not the cause."""
    wrong_polluter = run.polluter is not None and run.polluter != BEFORE[truth.polluter or 0]
    return wrong_polluter or run.verdict not in {truth.verdict, *NO_CAUSE}


def missed(truth: Truth, run: Run) -> bool:
    """Whether the verdict is neither the truth nor one that a rare failure may end in."""
    named = truth.polluter is None or run.polluter == BEFORE[truth.polluter]
    return run.verdict not in truth.may_be and not (run.verdict == truth.verdict and named)


def row(truth: Truth, runs: Sequence[Run]) -> str:
    verdicts = Counter(f"{run.verdict}{'?' if run.grade is Grade.SUSPECTED else ''}" for run in runs)
    shares = ", ".join(f"{name} {100 * count / len(runs):.1f}" for name, count in verdicts.most_common())
    mean = sum(len(run.trials) for run in runs) / len(runs)
    wrong = 100 * sum(wrong_cause(truth, run) for run in runs) / len(runs)
    lost = 100 * sum(missed(truth, run) for run in runs) / len(runs)
    most = max(len(run.trials) for run in runs)
    return f"{truth.name:34} {mean:6.1f} {most:4d} {wrong:6.2f} {lost:7.2f}   {shares}"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=300, help="experiments a truth")
    runs = options.parse_args().runs
    print(f"{'truth':34} {'trials':>6} {'max':>4} {'wrong%':>6} {'missed%':>7}   verdicts in % (? = suspected)")
    everything = []
    for truth in TRUTHS:
        drawn = [simulate(truth, seed) for seed in range(runs)]
        everything += [(truth, run) for run in drawn]
        print(row(truth, drawn), flush=True)
    wrong = sum(wrong_cause(truth, run) for truth, run in everything)
    print(f"wrong causes: {wrong} of {len(everything)} ({100 * wrong / len(everything):.2f} %)")


if __name__ == "__main__":
    main()
