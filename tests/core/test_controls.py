from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from triage_bot.core.arms import Arm, Isolation
from triage_bot.core.controls import lost_control
from triage_bot.core.evidence import Design, Evidence
from triage_bot.core.experiment import Step, next_step
from triage_bot.core.explain import Clean, tell
from triage_bot.core.findings import Finding, Reason, VerdictName
from triage_bot.core.judgement import judge
from triage_bot.core.results import Failure, Outcome
from triage_bot.core.trials import Observation, Site, StreamUse, Trial
from triage_bot.core.verdicts import Undecided

CONTROL = Failure("AssertionError", "the bare run is suspiciously good", "test_store.py", 40)
NOT_RAISED = Failure("Failed", "DID NOT RAISE <class 'ValueError'>", "test_store.py", 40)
GUARD = Failure("AssertionError", "3 blocks are off", "test_store.py", 41)
LATE = Failure("AssertionError", "took 0.3 s", "test_store.py", 40)
COPIES = StreamUse("copies", Site("test_store.py", 10), in_suite=True)


def trial(arm: str, failure: Failure | None) -> Trial:
    outcome = Outcome.FAILED if failure else Outcome.PASSED
    return Trial(0, Arm.parse(arm), Observation(outcome, failure, 0.1, streams=(COPIES,)), search=True)


def found(fails: Callable[[Arm], Failure | None]) -> Finding | Clean:
    """The result for a test that fails under an arm as `fails` says."""
    trials: list[Trial] = []
    design = Design(stream_test=True)
    while isinstance(step := next_step(design, trials), Step):
        trials.append(replace(trial(str(step.arm), fails(step.arm)), ordinal=len(trials), search=step.search))
    evidence = Evidence.of(design, trials)
    verdict = judge(design, evidence)
    assert not isinstance(verdict, Undecided)
    return tell("test_store.py::test_store", verdict, evidence)


def closes(arm: Arm) -> bool:
    """Whether the control's window is closed: its copies run late, or nothing runs at once."""
    return arm.skewed == "copies" or arm.isolation is Isolation.SERIALIZED


@pytest.mark.parametrize(
    ("arms", "lost"),
    [
        (["skewed:copies", "serialized"], True),
        (["skewed:copies"], False),
        (["skewed:copies", "stretched", "serialized"], False),
        (["as-is", "serialized"], False),
        (["stretched+serialized"], True),
    ],
)
def test_a_claim_that_fails_only_where_nothing_runs_at_once_is_a_control(arms: Sequence[str], lost: bool) -> None:
    assert lost_control(CONTROL, [trial("as-is", None), *(trial(arm, CONTROL) for arm in arms)]) is lost


@pytest.mark.parametrize("failure", [LATE, Failure("RuntimeError", "operation not permitted", "test_store.py", 40)])
def test_a_deadline_and_a_refusal_are_no_controls(failure: Failure) -> None:
    assert not lost_control(failure, [trial("serialized", failure)])


@pytest.mark.parametrize("failure", [CONTROL, NOT_RAISED])
def test_a_healthy_test_whose_control_says_so_in_its_own_words_is_healthy(failure: Failure) -> None:
    assert isinstance(found(lambda arm: failure if closes(arm) else None), Clean)


def test_a_race_behind_a_control_in_its_own_words_is_an_ordering_bug() -> None:
    def fails(arm: Arm) -> Failure | None:
        return CONTROL if closes(arm) else GUARD if arm.stretched else None

    finding = found(fails)
    assert isinstance(finding, Finding)
    assert finding.verdict is VerdictName.ORDERING_BUG


def test_two_claims_in_the_same_words_are_not_called_a_deadline() -> None:
    """A leak by itself, a lost control under every delay: what fails is not the same, though it reads alike."""
    failures = iter([GUARD])

    def fails(arm: Arm) -> Failure | None:
        return GUARD if closes(arm) else next(failures, None)

    finding = found(fails)
    assert isinstance(finding, Finding)
    assert (finding.verdict, finding.reason) == (VerdictName.INCONCLUSIVE, Reason.ARMS_CONTRADICT)
