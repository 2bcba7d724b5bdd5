"""Triage: run trials of each suspect until its verdict is known, then weigh the findings of the run together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatch
from typing import Protocol

from triage_bot.core.evidence import Design, Evidence
from triage_bot.core.experiment import Done, Step, next_step
from triage_bot.core.explain import Clean, tell
from triage_bot.core.findings import Finding, Grade, Reason
from triage_bot.core.judgement import judge
from triage_bot.core.remedy import Patch
from triage_bot.core.stats import adjusted
from triage_bot.core.suspects import Suspect
from triage_bot.core.trials import Trial
from triage_bot.core.verdicts import Undecided
from triage_bot.core.wording import counted
from triage_bot.errors import LabError
from triage_bot.ports import Clock, Lab
from triage_bot.workflows.remedy import with_remedy


@dataclass(frozen=True)
class Policy:
    """How far a triage may go."""

    cap: int = 20
    """At most so many compared trials an arm."""
    budget: float | None = 600.0
    """Seconds for the whole run; None for no limit. A trial that has started is not cut short by it."""
    stream_tests: tuple[str, ...] = ()
    """Globs over node ids: tests to probe whatever their first trial shows."""


class Watcher(Protocol):
    """Is told what runs and what it showed, as it happens."""

    def starting(self, test: str, ordinal: int, step: Step) -> None:
        """A trial is about to run."""

    def observed(self, test: str, trial: Trial) -> None:
        """A trial has ended. The next one starts when this returns, so what it writes is never lost."""


@dataclass(frozen=True)
class Triaged:
    """What a run came to: every suspect is in one of the two, in the order given."""

    findings: tuple[Finding, ...]
    clean: tuple[Clean, ...]
    stopped: Stop | None = None
    """What ended the run before its end; then each of the two says what its trials so far came to."""


Stop = KeyboardInterrupt | LabError


@dataclass
class _Case:
    """A suspect under way."""

    suspect: Suspect
    design: Design
    trials: list[Trial] = field(default_factory=list)
    told: Finding | Clean | None = None


def triage(  # noqa: PLR0913 - the ports and the policy of one run; a bundle of them would be a bag
    suspects: Sequence[Suspect],
    lab: Lab,
    clock: Clock,
    policy: Policy,
    watcher: Watcher,
    *,
    prior: Mapping[str, Sequence[Trial]] | None = None,
) -> Triaged:
    """Explain every suspect. ``prior``: trials of an earlier run by node id, which are not run again."""
    marked = {test.node_id for test in lab.collected() if test.marked_stream}
    cases = [
        _Case(suspect, _design(suspect, policy, marked), list((prior or {}).get(suspect.test, ())))
        for suspect in suspects
    ]
    end = None if policy.budget is None else clock.seconds() + policy.budget
    stopped: Stop | None = None
    try:
        _explain(cases, lab, clock, watcher, end)
    except (KeyboardInterrupt, LabError) as stop:
        if not any(case.trials for case in cases):
            raise
        stopped = stop
        _cut_off(cases)
    told = [case.told for case in cases]
    return Triaged(
        findings=tuple(one for one in told if isinstance(one, Finding)),
        clean=tuple(one for one in told if isinstance(one, Clean)),
        stopped=stopped,
    )


def _explain(cases: Sequence[_Case], lab: Lab, clock: Clock, watcher: Watcher, end: float | None) -> None:
    for position, case in enumerate(cases):
        _work(case, lab, clock, watcher, _share(clock, end, len(cases) - position))
    _prove_again(cases, lab, clock, watcher, end)
    _weigh(cases)
    for case in cases:
        case.told = _with_remedy(case, lab, clock, watcher, end)


def _cut_off(cases: Sequence[_Case]) -> None:
    """Say of each case what its trials so far came to."""
    for case in cases:
        if case.told is None:
            _tell(case, over=True)
            if isinstance(case.told, Finding) and case.told.reason is Reason.BUDGET_SPENT:
                why = f"{Reason.BUDGET_SPENT.value}: the run was ended after {counted(len(case.trials), 'trial')}"
                case.told = replace(case.told, why=why)
    _weigh(cases)


def _weigh(cases: Sequence[_Case]) -> None:
    for case, one in zip(cases, _weighed([case.told for case in cases if case.told]), strict=True):
        case.told = one


def _design(suspect: Suspect, policy: Policy, marked: set[str]) -> Design:
    declared = suspect.test in marked or any(fnmatch(suspect.test, glob) for glob in policy.stream_tests)
    return Design(suspect.failure, suspect.test, suspect.before, stream_test=declared, cap=policy.cap)


def _share(clock: Clock, end: float | None, suspects: int) -> float | None:
    """When the next of ``suspects`` must be done, so that each gets its part of what is left."""
    return None if end is None else clock.seconds() + (end - clock.seconds()) / suspects


def _work(case: _Case, lab: Lab, clock: Clock, watcher: Watcher, end: float | None) -> None:
    over = False
    while not over and not isinstance(step := next_step(case.design, case.trials), Done):
        over = end is not None and clock.seconds() >= end
        if not over:
            _run(case, step, lab, watcher)
    _tell(case, over=over)


def _tell(case: _Case, *, over: bool) -> None:
    evidence = Evidence.of(case.design, case.trials)
    verdict = judge(case.design, evidence, over=over)
    assert not isinstance(verdict, Undecided), "an experiment that is done has a verdict"
    case.told = tell(case.suspect.test, verdict, evidence)


def _with_remedy(case: _Case, lab: Lab, clock: Clock, watcher: Watcher, end: float | None) -> Finding | Clean | None:
    def run(step: Step, patch: Patch) -> Trial | None:
        spent = end is not None and clock.seconds() >= end
        return None if spent else _run(case, step, lab, watcher, patch)

    if not isinstance(case.told, Finding):
        return case.told
    return with_remedy(case.told, case.design, tuple(case.trials), lab.source, run)


def _run(case: _Case, step: Step, lab: Lab, watcher: Watcher, patch: Patch | None = None) -> Trial:
    ordinal = len(case.trials)
    watcher.starting(case.suspect.test, ordinal, step)
    observation = lab.run(case.suspect.test, step.arm, ordinal, step.before, patch)
    trial = Trial(ordinal, step.arm, observation, step.search, step.before)
    case.trials.append(trial)
    watcher.observed(case.suspect.test, trial)
    return trial


def _prove_again(cases: Sequence[_Case], lab: Lab, clock: Clock, watcher: Watcher, end: float | None) -> None:
    """Many comparisons prove something by chance: what does not hold among them all is compared further."""
    first = [case.told for case in cases if case.told]
    for case, before, after in zip(cases, first, _weighed(first), strict=True):
        if before != after:
            case.design = replace(case.design, alpha=case.design.alpha / len(cases))
            _work(case, lab, clock, watcher, end)


def _weighed(told: Sequence[Finding | Clean]) -> list[Finding | Clean]:
    """Each finding as it stands among all comparisons of the run: what does not hold is only suspected."""
    compared = [one.p_value for one in told if isinstance(one, Finding) and one.p_value is not None]
    holds = dict(zip(compared, adjusted(compared), strict=True))
    alpha = Design().alpha
    return [
        replace(one, grade=Grade.SUSPECTED)
        if isinstance(one, Finding)
        and one.grade is Grade.CONFIRMED
        and one.p_value is not None
        and one.p_value <= alpha < holds[one.p_value]
        else one
        for one in told
    ]
