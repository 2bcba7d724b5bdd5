from __future__ import annotations

from collections.abc import Callable, Sequence

from triage_bot.core.arms import Arm, Isolation
from triage_bot.core.evidence import Design, Evidence
from triage_bot.core.experiment import Step, next_step
from triage_bot.core.explain import tell
from triage_bot.core.findings import Finding, Grade, VerdictName
from triage_bot.core.judgement import judge
from triage_bot.core.results import Failure, Outcome
from triage_bot.core.trials import Boundary, Observation, Residue, Site, StreamUse, Trial
from triage_bot.core.verdicts import Undecided

BEFORE = tuple(f"test_a.py::test_{number}" for number in range(200))
POLLUTER = BEFORE[77]
WRONG = Failure("AssertionError", "the host's numbers were overwritten", "test_a.py", 900)
SIDE = StreamUse("side", Site("test_a.py", 400), in_suite=True)
World = Callable[[Arm, Sequence[str]], Observation]


def explored(world: World, failure: Failure = WRONG) -> tuple[Finding, tuple[Trial, ...]]:
    """What is found out about a test that fails as ``world`` says, and the trials that it took."""
    design = Design(failure, "test_a.py::test_victim", BEFORE)
    trials: list[Trial] = []
    while isinstance(step := next_step(design, trials), Step):
        trials.append(Trial(len(trials), step.arm, world(step.arm, step.before), step.search, step.before))
    evidence = Evidence.of(design, trials)
    verdict = judge(design, evidence)
    assert not isinstance(verdict, Undecided)
    finding = tell(design.test, verdict, evidence)
    assert isinstance(finding, Finding)
    return finding, tuple(trials)


def seen(*, fails: bool, failure: Failure = WRONG, streams: Sequence[StreamUse] = (), left: float = 0.0) -> Observation:
    name = POLLUTER.rpartition("::")[2]
    boundary = Boundary("call", Site("test_a.py", 400, name), (Residue(SIDE, left),))
    return Observation(
        outcome=Outcome.FAILED if fails else Outcome.PASSED,
        failure=failure if fails else None,
        seconds=0.1,
        streams=tuple(streams),
        boundaries=(boundary,) if left else (),
    )


def test_a_test_that_uses_no_stream_may_still_suffer_from_work_in_flight() -> None:
    def world(arm: Arm, before: Sequence[str]) -> Observation:
        drained = arm.isolation is Isolation.DRAINED
        ran = POLLUTER in before
        return seen(fails=ran and not drained, streams=[SIDE] if ran else [], left=1.5 if ran and drained else 0.0)

    finding, trials = explored(world)

    assert (finding.verdict, finding.grade) == (VerdictName.CROSS_TEST_CONTAMINATION, Grade.CONFIRMED)
    assert finding.polluter == POLLUTER
    assert len(trials) <= 24


def test_what_only_the_host_did_is_called_state_without_a_word_of_draining() -> None:
    finding, _ = explored(lambda arm, before: seen(fails=POLLUTER in before))

    assert (finding.verdict, finding.polluter) == (VerdictName.ORDER_DEPENDENT, POLLUTER)
    assert finding.why.endswith(
        "and none of them was seen to use a device: what passes on is state, not work in flight"
    )
    assert not any(tally.arm.isolation for tally in finding.arms)


def test_memory_that_ran_out_after_another_test_is_named() -> None:
    full = Failure("OutOfMemoryError", "CUDA out of memory. Tried to allocate 80.00 GiB.", "test_a.py", 900)

    finding, _ = explored(lambda arm, before: seen(fails=POLLUTER in before, failure=full, streams=[SIDE]), full)

    assert finding.verdict is VerdictName.ORDER_DEPENDENT
    assert finding.why.endswith(
        "drained or not: what passes on is state, not work in flight; "
        "by the words of the failure, device memory that is still held"
    )


def test_streams_of_the_tests_before_are_not_slowed_one_by_one() -> None:
    many = [StreamUse(f"stream_{number}", Site("test_a.py", number), in_suite=True) for number in range(90)]

    finding, trials = explored(lambda arm, before: seen(fails=False, streams=many if before else []))

    assert finding.verdict is VerdictName.NOT_REPRODUCED
    assert not any(trial.arm.skewed for trial in trials)


def test_a_failure_that_was_met_after_others_is_looked_for_there_for_longer() -> None:
    met = iter([False, False, False, True, True])

    def world(arm: Arm, before: Sequence[str]) -> Observation:
        return seen(fails=POLLUTER in before and next(met, True))

    finding, _ = explored(world)

    assert (finding.verdict, finding.polluter) == (VerdictName.ORDER_DEPENDENT, POLLUTER)


def test_a_failure_that_comes_seldom_after_others_is_told_with_how_often_it_came_there() -> None:
    turns = iter(range(10_000))

    def world(arm: Arm, before: Sequence[str]) -> Observation:
        return seen(fails=POLLUTER in before and next(turns) % 3 == 1)

    finding, _ = explored(world)

    assert (finding.verdict, finding.grade) == (VerdictName.FLAKY, Grade.SUSPECTED)
    assert "trials after the tests before it and in none of" in finding.why
