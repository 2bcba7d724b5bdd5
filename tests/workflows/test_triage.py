from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from benchmarks.decision_simulation import FAILURE, TRUTHS, Truth, observation
from triage_bot.core.arms import Arm
from triage_bot.core.experiment import Step
from triage_bot.core.findings import Environment, Grade, Leaker, Reason, VerdictName
from triage_bot.core.remedy import Patch
from triage_bot.core.suspects import Suspect
from triage_bot.core.trials import Observation, Trial
from triage_bot.errors import LabError
from triage_bot.ports import CollectedTest
from triage_bot.workflows.triage import Policy, triage

LEAK = TRUTHS[0]
HEALTHY = next(truth for truth in TRUTHS if truth.verdict == "healthy")


@dataclass
class TableLab:
    """Fails a test where its truth says so, and takes a second a trial of a clock that it is, too."""

    truths: dict[str, Truth]
    ran: list[tuple[str, str]] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)
    fix_helps: bool = True

    def collected(self) -> Sequence[CollectedTest]:
        return [CollectedTest(test, marked_stream=truth.stream_test) for test, truth in self.truths.items()]

    def source(self, file: str) -> str | None:
        return self.sources.get(file)

    def run(
        self, node_id: str, arm: Arm, ordinal: int, before: Sequence[str] = (), patch: Patch | None = None
    ) -> Observation:
        self.ran.append((node_id, str(arm)))
        truth = self.truths[node_id]
        fixed = patch is not None and "a.synchronize()" in patch.source and self.fix_helps
        return observation(truth, arm, failed=not fixed and truth.rate(arm) > 0.5)

    def environment(self) -> Environment:
        return Environment(runtime="table")

    def remarks(self) -> Sequence[str]:
        return ()

    def seconds(self) -> float:
        return float(len(self.ran))


@dataclass
class Diary:
    """Writes down what it is told."""

    questions: list[str] = field(default_factory=list)
    trials: dict[str, list[Trial]] = field(default_factory=dict)

    def starting(self, test: str, ordinal: int, step: Step) -> None:
        self.questions.append(f"{step.arm}: {step.purpose}")

    def observed(self, test: str, trial: Trial) -> None:
        self.trials.setdefault(test, []).append(trial)


def test_a_leak_is_proven_with_its_witness_in_twelve_trials() -> None:
    lab = TableLab({"test_a.py::test_leak": LEAK})

    (finding,) = triage([Suspect("test_a.py::test_leak", FAILURE)], lab, lab, Policy(), Diary()).findings

    assert (finding.verdict, finding.grade) == (VerdictName.CROSS_PHASE_CONTAMINATION, Grade.CONFIRMED)
    assert finding.witness is not None
    assert finding.witness.leaker is Leaker.TEST
    assert finding.why.startswith("700 ms of work were left on a after `control = _drive(...)`")
    assert len(lab.ran) == 12


def test_a_healthy_test_ends_in_the_rate_that_its_passes_exclude_and_no_finding() -> None:
    lab = TableLab({"test_a.py::test_fine": HEALTHY})

    result = triage([Suspect("test_a.py::test_fine")], lab, lab, Policy(), Diary())

    assert result.findings == ()
    assert f"{result.clean[0].excluded_rate:.2f}" == "0.45"


def test_a_triage_goes_on_from_the_trials_already_observed() -> None:
    suspects = [Suspect("test_a.py::test_leak", FAILURE)]
    first, second, diary = TableLab({"test_a.py::test_leak": LEAK}), TableLab({"test_a.py::test_leak": LEAK}), Diary()
    whole = triage(suspects, first, first, Policy(), diary)

    resumed = triage(
        suspects, second, second, Policy(), Diary(), prior={"test_a.py::test_leak": diary.trials[suspects[0].test][:9]}
    )

    assert resumed == whole
    assert second.ran == first.ran[9:]


def test_a_spent_budget_says_so_and_how_far_it_came() -> None:
    lab = TableLab({"test_a.py::test_leak": LEAK})

    (finding,) = triage([Suspect("test_a.py::test_leak", FAILURE)], lab, lab, Policy(budget=2), Diary()).findings

    assert (finding.verdict, finding.reason) == (VerdictName.INCONCLUSIVE, Reason.BUDGET_SPENT)
    assert finding.why == "budget-spent: the budget ended after 2 trials"


@dataclass
class FailingLab(TableLab):
    """Cannot go on after some trials."""

    stop: BaseException = field(default_factory=KeyboardInterrupt)
    after: int = 20

    def run(
        self, node_id: str, arm: Arm, ordinal: int, before: Sequence[str] = (), patch: Patch | None = None
    ) -> Observation:
        if len(self.ran) >= self.after:
            raise self.stop
        return super().run(node_id, arm, ordinal, before, patch)


@pytest.mark.parametrize("stop", [KeyboardInterrupt(), LabError("the device is gone", "look for it")])
def test_what_ends_a_run_early_loses_nothing_that_was_learned(stop: BaseException) -> None:
    lab = FailingLab({f"test_a.py::test_{number}": LEAK for number in ("one", "two", "three")}, stop=stop)
    told = triage([Suspect(test, FAILURE) for test in lab.truths], lab, lab, Policy(), Diary())

    assert told.stopped is stop
    one, two, three = told.findings
    assert (one.verdict, one.grade) == (VerdictName.CROSS_PHASE_CONTAMINATION, Grade.CONFIRMED)
    assert (two.verdict, two.grade) == (VerdictName.CROSS_PHASE_CONTAMINATION, Grade.SUSPECTED)
    assert three.why == "budget-spent: the run was ended after 0 trials"


def test_a_run_that_ends_before_its_first_trial_tells_nothing() -> None:
    lab = FailingLab({"test_a.py::test_one": LEAK}, after=0)
    with pytest.raises(KeyboardInterrupt):
        triage([Suspect(test, FAILURE) for test in lab.truths], lab, lab, Policy(), Diary())


def test_a_test_that_the_budget_never_reached_is_not_called_fine() -> None:
    lab = TableLab({"test_a.py::test_fine": HEALTHY})
    (finding,) = triage([Suspect("test_a.py::test_fine")], lab, lab, Policy(budget=0), Diary()).findings
    assert (finding.verdict, finding.why) == (
        VerdictName.INCONCLUSIVE,
        "budget-spent: the budget ended after 0 trials",
    )


def test_each_suspect_gets_its_share_of_the_budget() -> None:
    lab = TableLab({"test_a.py::test_one": LEAK, "test_a.py::test_two": LEAK})

    triage([Suspect(test, FAILURE) for test in lab.truths], lab, lab, Policy(budget=20), Diary())

    assert [test for test, _ in lab.ran].count("test_a.py::test_two") == 10


def test_every_trial_tells_what_it_asks() -> None:
    lab, diary = TableLab({"test_a.py::test_leak": LEAK}), Diary()

    triage([Suspect("test_a.py::test_leak", FAILURE)], lab, lab, Policy(), diary)

    assert diary.questions[0] == "as-is: does it fail by itself?"
    assert diary.questions[1] == "stretched: does it fail when waits are stretched?"
    assert diary.questions[4] == "stretched+drained: does it need work left over from an earlier phase?"


SOURCE = "".join("\n" for _ in range(8)) + "def _drive():\n    a = new_stream()\n    launch(a)\n    return 0\n"
"""The stream of the leak is created in line 10, outside the test that leaks."""


def test_a_fix_is_shown_after_it_held_where_the_test_always_failed() -> None:
    lab = TableLab({"test_a.py::test_leak": LEAK}, sources={"test_store.py": SOURCE})

    (finding,) = triage([Suspect("test_a.py::test_leak", FAILURE)], lab, lab, Policy(), Diary()).findings

    assert finding.remedy is not None
    assert finding.remedy.diff.splitlines()[-2:] == ["+    a.synchronize()", "     return 0"]
    assert (str(finding.remedy.tried.arm), finding.remedy.tried.runs, finding.remedy.tried.failed) == (
        "stretched+patched",
        4,
        0,
    )
    assert len(lab.ran) == 16


def test_a_fix_that_does_not_hold_is_never_shown() -> None:
    lab = TableLab({"test_a.py::test_leak": LEAK}, sources={"test_store.py": SOURCE}, fix_helps=False)

    (finding,) = triage([Suspect("test_a.py::test_leak", FAILURE)], lab, lab, Policy(), Diary()).findings

    assert (finding.grade, finding.remedy) == (Grade.CONFIRMED, None)
    assert [arm for _, arm in lab.ran].count("stretched+patched") == 1


def test_a_triage_that_goes_on_does_not_try_the_fix_again() -> None:
    first = TableLab({"test_a.py::test_leak": LEAK}, sources={"test_store.py": SOURCE})
    second, diary = TableLab(first.truths, sources=first.sources), Diary()
    whole = triage([Suspect("test_a.py::test_leak", FAILURE)], first, first, Policy(), diary)

    resumed = triage([Suspect("test_a.py::test_leak", FAILURE)], second, second, Policy(), Diary(), prior=diary.trials)

    assert (resumed, second.ran) == (whole, [])
