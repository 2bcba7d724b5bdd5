from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from benchmarks.decision_simulation import (
    BEFORE,
    FAILURE,
    LEFTOVER,
    STREAMS,
    TRUTHS,
    Truth,
    observation,
    race,
    simulate,
)
from triage_bot.core.arms import AS_IS, STRETCHED, Arm, Isolation
from triage_bot.core.contrasts import Effect, contrast
from triage_bot.core.controls import ONE_AT_A_TIME
from triage_bot.core.evidence import Design, Evidence
from triage_bot.core.experiment import Done, Step, next_step
from triage_bot.core.explain import Clean, tell
from triage_bot.core.findings import Finding, Grade, Leaker, Reason, VerdictName
from triage_bot.core.judgement import judge
from triage_bot.core.results import Failure, Outcome
from triage_bot.core.trials import Coverage, Observation, Residue, Trial
from triage_bot.core.verdicts import Undecided

VACUOUS = Failure("AssertionError", "vacuous control: the control phase never raced", "test_store.py", 40)
LEAK, RACE = (next(truth for truth in TRUTHS if truth.name == name) for name in (TRUTHS[0].name, "race, stretched"))
ALWAYS_RACES = replace(RACE, rate=race(1.0, 1.0))


class Rig:
    """An experiment on a truth, whose observations can be changed arm by arm."""

    def __init__(self, truth: Truth, design: Design | None = None, **changes: object) -> None:
        self.truth = truth
        self.design = design or Design(FAILURE)
        self.changes = changes

    def observe(self, arm: Arm) -> Observation:
        seen = observation(self.truth, arm, failed=self.truth.rate(arm) > 0.5)
        isolation = arm.isolation.name.lower() if arm.isolation else "none"
        change = self.changes.get(isolation, {})
        assert isinstance(change, dict)
        return replace(seen, **change)

    def trials(self, *, at_most: int = 200) -> list[Trial]:
        trials: list[Trial] = []
        while len(trials) < at_most and isinstance(step := next_step(self.design, trials), Step):
            trials.append(Trial(len(trials), step.arm, self.observe(step.arm), step.search))
        return trials

    def find(self, *, at_most: int = 200) -> Finding | Clean:
        trials = self.trials(at_most=at_most)
        evidence = Evidence.of(self.design, trials)
        verdict = judge(self.design, evidence, over=True)
        assert not isinstance(verdict, Undecided)
        return tell("test_store.py::test_store", verdict, evidence)


def found(truth: Truth, design: Design | None = None, *, at_most: int = 200, **changes: object) -> Finding:
    finding = Rig(truth, design, **changes).find(at_most=at_most)
    assert isinstance(finding, Finding)
    return finding


def test_arms_are_interleaved_and_take_turns_at_being_first() -> None:
    compared = [str(trial.arm) for trial in simulate(TRUTHS[0], 3).trials if not trial.search]

    assert compared[:4] == ["stretched", "stretched+drained", "stretched+drained", "stretched"]


def test_the_trials_that_found_the_amplifier_enter_no_comparison() -> None:
    trials = simulate(TRUTHS[0], 3).trials

    assert [trial.arm for trial in trials if trial.search] == [AS_IS, STRETCHED]
    assert sum(trial.arm == STRETCHED for trial in trials if not trial.search) == 5


@pytest.mark.parametrize("lazily", [True, False])
def test_each_stream_is_slowed_three_times_or_once_and_once_loaded_early_where_kernels_load_late(lazily: bool) -> None:
    device = {"loads_lazily": lazily}
    trials = Rig(replace(RACE, rate=race(0.0, 0.0, 0.0)), none=device, drained=device).trials()

    for stream in STREAMS:
        slowed = [trial.arm.eager for trial in trials if trial.arm.skewed == stream.name]
        assert slowed == ([False, True] if lazily else [False, False, False])


@pytest.mark.parametrize(("first", "effect"), [("failed", Effect.CURED), ("passed", Effect.OPEN)])
def test_five_pairs_prove_a_cure_only_of_a_failure_that_comes_every_time(first: str, effect: Effect) -> None:
    serialized = AS_IS.with_isolation(Isolation.SERIALIZED)
    shown = [(AS_IS, first == "failed", True)] + [(AS_IS, True, False), (serialized, False, False)] * 5
    trials = [
        Trial(ordinal, arm, observation(RACE, arm, failed=failed), search)
        for ordinal, (arm, failed, search) in enumerate(shown)
    ]

    assert contrast(Design(FAILURE), Evidence.of(Design(FAILURE), trials), AS_IS, serialized).effect is effect


def test_leftover_work_of_a_stream_that_is_used_again_is_suspected_only() -> None:
    again = replace(LEFTOVER, residues=(replace(LEFTOVER.residues[0], reused=True),))
    finding = found(LEAK, drained={"boundaries": (again, LEFTOVER)})

    assert (finding.verdict, finding.grade) == (VerdictName.CROSS_PHASE_CONTAMINATION, Grade.SUSPECTED)
    assert "a wait for it is missing where its data is used next" in finding.why


def test_leftover_work_of_the_code_under_test_is_suspected_only() -> None:
    theirs = replace(STREAMS[0], in_suite=False)
    finding = found(LEAK, drained={"boundaries": (replace(LEFTOVER, residues=(Residue(theirs, 0.7),)),)})

    assert (finding.verdict, finding.grade) == (VerdictName.CROSS_PHASE_CONTAMINATION, Grade.SUSPECTED)
    assert finding.witness is not None
    assert finding.witness.leaker is Leaker.CODE_UNDER_TEST


def test_a_difference_without_a_witness_names_no_cause() -> None:
    finding = found(LEAK, drained={"boundaries": ()})

    assert (finding.verdict, finding.reason) == (VerdictName.INCONCLUSIVE, Reason.ARMS_CONTRADICT)


def test_a_control_that_no_longer_races_when_serialized_shows_that_the_race_needs_concurrency() -> None:
    serialized = {"outcome": Outcome.FAILED, "failure": VACUOUS}

    assert found(RACE, serialized=serialized).verdict is VerdictName.ORDERING_BUG


def test_serialized_trials_that_time_out_are_no_evidence_and_few() -> None:
    hung = {"outcome": Outcome.TIMED_OUT, "failure": Failure("Timeout", "ended after 120 s")}
    finding = found(ALWAYS_RACES, serialized=hung)

    assert (finding.verdict, finding.reason) == (VerdictName.INCONCLUSIVE, Reason.ARM_NOT_COVERED)
    assert next(tally.runs for tally in finding.arms if tally.arm.isolation is Isolation.SERIALIZED) == 2


def test_failing_under_an_isolation_that_did_not_reach_everything_proves_nothing() -> None:
    finding = found(
        replace(RACE, rate=lambda _: 1.0), serialized={"coverage": Coverage(("background-thread-launches",))}
    )

    assert (finding.verdict, finding.reason) == (VerdictName.INCONCLUSIVE, Reason.ARM_NOT_COVERED)


def test_passing_under_an_isolation_needs_no_cover() -> None:
    finding = found(RACE, serialized={"coverage": Coverage(("background-thread-launches",))})

    assert (finding.verdict, finding.grade) == (VerdictName.ORDERING_BUG, Grade.CONFIRMED)


def test_a_race_is_not_told_from_a_leak_where_boundaries_cannot_be_drained() -> None:
    blind = {"coverage": Coverage(("hook-missing:stream_synchronization",))}
    finding = found(RACE, drained=blind, drained_deep=blind)

    assert (finding.verdict, finding.reason) == (VerdictName.INCONCLUSIVE, Reason.ARM_NOT_COVERED)


def test_four_trials_an_arm_confirm_nothing_and_say_so() -> None:
    finding = found(LEAK, Design(FAILURE, cap=4))

    assert (finding.verdict, finding.grade) == (VerdictName.CROSS_PHASE_CONTAMINATION, Grade.SUSPECTED)
    assert found(RACE, Design(FAILURE, cap=4)).why == "budget-spent: 4 trials an arm can prove nothing"


def test_a_budget_that_ends_in_between_leaves_the_witness_as_a_suspicion() -> None:
    finding = found(LEAK, at_most=6)

    assert (finding.verdict, finding.grade) == (VerdictName.CROSS_PHASE_CONTAMINATION, Grade.SUSPECTED)
    assert finding.p_value is None


def test_a_test_that_always_fails_is_broken_for_certain_after_fifty_one_failures_in_few_an_arm() -> None:
    finding = found(next(truth for truth in TRUTHS if truth.verdict == "broken"))

    assert (finding.verdict, finding.grade) == (VerdictName.BROKEN, Grade.CONFIRMED)
    assert sum(tally.failed for tally in finding.arms) == 51
    assert max(tally.runs for tally in finding.arms) < 10
    assert finding.why == "it failed alike in all 51 trials, whatever the arm: it fails at least 93% of the time"


def test_a_test_without_streams_that_always_fails_is_not_called_broken_for_certain() -> None:
    plain = replace(next(truth for truth in TRUTHS if truth.verdict == "broken"), stream_test=False)
    finding = found(plain)

    assert (finding.verdict, finding.grade) == (VerdictName.BROKEN, Grade.SUSPECTED)
    assert {str(tally.arm) for tally in finding.arms} == {"as-is"}


def test_a_report_of_a_vacuous_control_is_confirmed_by_one_more() -> None:
    vacuous = {"outcome": Outcome.FAILED, "failure": VACUOUS}
    design = Design(VACUOUS)

    assert found(RACE, design, none=vacuous).grade is Grade.CONFIRMED
    assert found(RACE, design, none={"outcome": Outcome.PASSED, "failure": None}).grade is Grade.SUSPECTED


def test_a_control_whose_window_only_an_amplifier_closes_is_no_failure() -> None:
    healthy = next(truth for truth in TRUTHS if truth.verdict == "healthy")
    trials: list[Trial] = []
    while isinstance(step := next_step(Design(), trials), Step):
        seen = observation(healthy, step.arm, failed=False)
        if step.arm.amplified:
            seen = replace(seen, outcome=Outcome.FAILED, failure=VACUOUS)
        trials.append(Trial(len(trials), step.arm, seen, step.search))

    assert isinstance(next_step(Design(), trials), Done)
    evidence = Evidence.of(Design(), trials)
    assert evidence.explained is None


def test_a_skipped_test_could_not_be_rerun() -> None:
    finding = found(RACE, none={"outcome": Outcome.SKIPPED, "failure": None})

    assert (finding.verdict, finding.reason) == (VerdictName.INCONCLUSIVE, Reason.COULD_NOT_RERUN)
    assert finding.why == "could-not-rerun: here it was skipped"


@pytest.mark.parametrize(("reported", "latent"), [(True, False), (False, True)])
def test_only_a_failure_that_nobody_saw_without_an_amplifier_is_latent(reported: bool, latent: bool) -> None:
    assert found(RACE, Design(FAILURE if reported else None)).latent is latent


def test_a_failure_that_never_comes_again_says_the_rate_that_it_rules_out() -> None:
    finding = found(next(truth for truth in TRUTHS if truth.verdict == "not-reproduced"))

    assert finding.verdict is VerdictName.NOT_REPRODUCED
    assert finding.why.startswith("it never failed so again; a failure rate of 13% or more")


def test_a_test_that_fails_after_another_names_it_and_what_it_left() -> None:
    run = simulate(next(truth for truth in TRUTHS if truth.verdict == "cross-test-contamination"), seed=0)
    design = Design(FAILURE, "test_store.py::test_store", BEFORE)
    evidence = Evidence.of(design, run.trials)
    verdict = judge(design, evidence)
    assert not isinstance(verdict, Undecided)

    finding = tell(design.test, verdict, evidence)

    assert isinstance(finding, Finding)
    assert (finding.verdict, finding.grade) == (VerdictName.CROSS_TEST_CONTAMINATION, Grade.CONFIRMED)
    assert finding.polluter == "test_store.py::test_77"
    assert len(run.trials) <= 40
    assert {str(tally.arm): (tally.failed, tally.runs) for tally in finding.arms} == {
        "as-is": (0, 6),
        "stretched": (0, 2),
        "in-order": (7, 7),
        "in-order+drained": (0, 5),
    }
    assert finding.why.endswith(
        "unless the device is drained in between, so what passes on is work in flight: "
        "200 ms of work were left on a after the call of test_77"
    )


def test_a_search_for_the_polluter_that_is_cut_short_still_tells_work_from_state() -> None:
    run = simulate(next(truth for truth in TRUTHS if truth.name == "polluted by state"), seed=0)
    design = Design(FAILURE, "test_store.py::test_store", BEFORE)
    evidence = Evidence.of(design, run.trials[:-1])
    verdict = judge(design, evidence, over=True)
    assert not isinstance(verdict, Undecided)

    finding = tell(design.test, verdict, evidence)

    assert isinstance(finding, Finding)
    assert (finding.verdict, finding.polluter) == (VerdictName.ORDER_DEPENDENT, None)
    assert finding.why.startswith("it never fails alone, and does after one of the 200 tests before it")


def test_a_test_that_only_ever_fails_in_another_way_is_judged_under_other_conditions_than_the_report() -> None:
    other = {"outcome": Outcome.FAILED, "failure": Failure("FileNotFoundError", "no weights here", "test_store.py", 12)}
    ways = ("none", *(isolation.name.lower() for isolation in Isolation))
    finding = found(RACE, **dict.fromkeys(ways, other))

    assert (finding.verdict, finding.reason) == (VerdictName.INCONCLUSIVE, Reason.MIXED_CONDITIONS)


@pytest.mark.parametrize(
    ("every", "verdict"), [(2, VerdictName.INCONCLUSIVE), (3, VerdictName.NOT_REPRODUCED)], ids=["half", "a third"]
)
def test_a_test_that_mostly_fails_in_another_way_has_not_become_well(every: int, verdict: VerdictName) -> None:
    class Other(Rig):
        shown = 0

        def observe(self, arm: Arm) -> Observation:
            self.shown += 1
            other = Failure("FileNotFoundError", "no weights here", "test_store.py", 12)
            seen = observation(self.truth, arm, failed=False)
            return replace(seen, outcome=Outcome.FAILED, failure=other) if self.shown % every == 1 else seen

    finding = Other(replace(RACE, rate=race(0.0, 0.0, 0.0), leftover=False)).find()

    assert isinstance(finding, Finding)
    assert finding.verdict is verdict
    assert finding.reason is (Reason.MIXED_CONDITIONS if every == 2 else None)


def test_what_never_passes_and_says_something_else_each_time_is_not_called_flaky() -> None:
    class Wordy(Rig):
        shown = 0

        def observe(self, arm: Arm) -> Observation:
            self.shown += 1
            other = Failure("AssertionError", f"got {'abcdefgh'[self.shown % 8] * 3}", "test_store.py", 12)
            if arm.isolation is Isolation.SERIALIZED:
                return observation(self.truth, arm, failed=False)
            seen = observation(self.truth, arm, failed=True)
            return seen if self.shown % 8 == 1 else replace(seen, failure=other)

    finding = Wordy(replace(RACE, leftover=False), Design()).find()

    assert isinstance(finding, Finding)
    assert finding.verdict is VerdictName.INCONCLUSIVE
    assert "it never passed as-is" in finding.why


def test_a_failure_that_only_one_amplified_trial_showed_is_told_with_that_arm() -> None:
    class Once(Rig):
        def observe(self, arm: Arm) -> Observation:
            failed = arm.hasty and not self.changes
            self.changes = {"none": {}} if arm.hasty else self.changes
            return observation(self.truth, arm, failed=failed)

    finding = Once(replace(RACE, rate=race(0.0, 0.0, 0.0), leftover=False), Design()).find()

    assert isinstance(finding, Finding)
    assert finding.why.startswith("it failed in 1 of 3 trials under stretched+hasty and in none of ")


def test_an_amplifier_that_proved_nothing_in_all_its_trials_gives_way_to_the_next() -> None:
    found = Counter(
        simulate(truth, seed).verdict for truth in TRUTHS for seed in range(6) if "stretched 20 %" in truth.name
    )

    assert found == {"ordering-bug": 6}


SEEN_ON_A_DEVICE = {
    None: "AAAAAAAAAAAAAAAAAAAAAA.",
    Isolation.DRAINED: "A.......A.....A.....",
    Isolation.DRAINED_DEEP: "A...A..A..A..A..A...",
    Isolation.SERIALIZED: "....................",
}
"""A race that draining makes rarer, trial by trial, ``A`` where it failed."""


class Scripted(Rig):
    """Fails in the trials of each isolation that its script marks."""

    def __init__(self, script: dict[Isolation | None, str]) -> None:
        super().__init__(ALWAYS_RACES)
        self.left = {isolation: iter(trials) for isolation, trials in script.items()}

    def observe(self, arm: Arm) -> Observation:
        return observation(self.truth, arm, failed=next(self.left[arm.isolation]) == "A")


def test_a_race_that_is_rare_when_drained_is_suspected_and_the_last_arm_gets_its_rounds() -> None:
    finding = Scripted(SEEN_ON_A_DEVICE).find()

    assert isinstance(finding, Finding)
    assert (finding.verdict, finding.grade) == (VerdictName.ORDERING_BUG, Grade.SUSPECTED)
    serialized = next(tally for tally in finding.arms if tally.arm.isolation is Isolation.SERIALIZED)
    assert serialized.runs >= 10
    assert max(tally.runs for tally in finding.arms if tally.arm.isolation) <= Design().cap


@pytest.mark.parametrize("deep", ["....................", "A..................."])
def test_what_hardly_ever_comes_where_phases_are_drained_is_no_race_inside_one(deep: str) -> None:
    rare = {Isolation.DRAINED: "A...................", Isolation.DRAINED_DEEP: deep}
    finding = Scripted({**SEEN_ON_A_DEVICE, **rare}).find()

    assert isinstance(finding, Finding)
    assert finding.verdict is not VerdictName.ORDERING_BUG


def test_no_further_arm_is_tried_while_draining_keeps_the_failure_away() -> None:
    script = {None: "AAA" + "A." * 10, Isolation.DRAINED: "." * 20}
    finding = Scripted(script).find()

    assert isinstance(finding, Finding)
    assert {tally.arm.isolation for tally in finding.arms if tally.runs} == {None, Isolation.DRAINED}


def test_a_failure_in_another_way_is_counted_apart() -> None:
    otherwise = {"outcome": Outcome.FAILED, "failure": Failure("ValueError", "another")}
    finding = found(RACE, Design(FAILURE), drained=otherwise)

    drained = next(tally for tally in finding.arms if tally.arm.isolation is Isolation.DRAINED)
    assert (drained.failed, drained.failed_otherwise) == (0, drained.runs)


class Late(Rig):
    """Fails as its truth says, with a deadline's words."""

    def observe(self, arm: Arm) -> Observation:
        seen = super().observe(arm)
        late = replace(FAILURE, message="assert wait_until(done, timeout=0.02)")
        return replace(seen, failure=late) if seen.failure else seen


def test_a_race_that_only_an_amplifier_shows_and_that_speaks_of_time_is_suspected() -> None:
    finding = Late(RACE, Design()).find()

    assert isinstance(finding, Finding)
    assert (finding.verdict, finding.grade) == (VerdictName.ORDERING_BUG, Grade.SUSPECTED)
    assert finding.why.endswith("or it is a deadline on the device's own work")


class Asking(Rig):
    """It had asked so often, and knew that the device was not done."""

    def __init__(self, often: int, says: str) -> None:
        super().__init__(RACE, Design())
        self.often, self.says = often, says

    def observe(self, arm: Arm) -> Observation:
        seen = super().observe(arm)
        told = replace(seen.failure, message=self.says) if seen.failure else None
        return replace(seen, failure=told, asked_in_vain=self.often if told else 0)


@pytest.mark.parametrize(
    ("often", "says", "verdict", "grade"),
    [
        (1, "gave up: not done after 60 ms", VerdictName.TIME_SENSITIVE, Grade.SUSPECTED),
        (453, "assert False", VerdictName.TIME_SENSITIVE, Grade.SUSPECTED),
        (2, "layers took weights of their neighbours", VerdictName.ORDERING_BUG, Grade.SUSPECTED),
        (1, "3 != 4", VerdictName.ORDERING_BUG, Grade.SUSPECTED),
        (0, "3 != 4", VerdictName.ORDERING_BUG, Grade.CONFIRMED),
    ],
)
def test_who_asks_in_vain_again_and_again_is_impatient_and_who_asks_once_may_be_early(
    often: int, says: str, verdict: VerdictName, grade: Grade
) -> None:
    finding = Asking(often, says).find()

    assert isinstance(finding, Finding)
    assert (finding.verdict, finding.grade) == (verdict, grade)


def test_what_also_fails_with_nothing_delayed_and_nothing_at_once_is_no_deadline() -> None:
    class WantsARace(Rig):
        def observe(self, arm: Arm) -> Observation:
            failed = arm.amplified or arm == ONE_AT_A_TIME
            return observation(self.truth, arm, failed=failed)

    deadline = next(truth for truth in TRUTHS if truth.name == "deadline")
    finding = WantsARace(deadline).find()

    assert isinstance(finding, Finding)
    assert (finding.verdict, finding.reason) == (VerdictName.INCONCLUSIVE, Reason.ARMS_CONTRADICT)


def test_a_deadline_on_the_work_of_the_device_is_suspected_where_the_test_had_asked_in_vain() -> None:
    finding = Asking(40, "gave up: not done after 60 ms").find()

    assert isinstance(finding, Finding)
    assert (finding.verdict, finding.grade) == (VerdictName.TIME_SENSITIVE, Grade.SUSPECTED)
    assert "knew that the work was not done" in finding.why


def test_an_amplifier_that_showed_the_failure_by_luck_is_dropped_and_the_search_goes_on() -> None:
    skewed = next(truth for truth in TRUTHS if truth.name == "race, skewed")
    rig, lucky = Rig(skewed), Arm(stretched=True)
    trials: list[Trial] = []
    while isinstance(step := next_step(rig.design, trials), Step):
        shown = rig.observe(step.arm)
        if step.arm == lucky and step.search:
            shown = observation(skewed, step.arm, failed=True)
        trials.append(Trial(len(trials), step.arm, shown, step.search))
    verdict = judge(rig.design, Evidence.of(rig.design, trials))

    assert not isinstance(verdict, Undecided)
    assert verdict.name is VerdictName.ORDERING_BUG
