from __future__ import annotations

from triage_bot.core.findings import Leaker
from triage_bot.core.results import Failure, Outcome
from triage_bot.core.trials import Boundary, Observation, Residue, Site, StreamUse
from triage_bot.core.witness import left_by
from triage_bot.core.witness import testify as seen_by
from triage_bot.core.witness import testify_against as seen_against

OURS = StreamUse("compute", Site("test_a.py", 3), in_suite=True)
THEIRS = StreamUse("copy", Site("/lib/backend.py", 9), in_suite=False)
FAILURE = Failure("AssertionError", "corrupt")


def boundary(statement: str, line: int, *left: tuple[StreamUse, float]) -> Boundary:
    return Boundary(statement, Site("test_a.py", line), tuple(Residue(stream, seconds) for stream, seconds in left))


def drained(*boundaries: Boundary) -> Observation:
    return Observation(Outcome.PASSED, None, 1.0, boundaries=boundaries)


def test_the_boundary_with_the_most_work_is_the_witness_and_its_longest_stream_the_leak() -> None:
    trials = [drained(boundary("warm()", 4, (THEIRS, 0.1)), boundary("control()", 5, (THEIRS, 0.1), (OURS, 0.7)))] * 3

    witness = seen_by(trials, FAILURE)

    assert witness is not None
    assert (witness.boundary.statement, witness.leaker) == ("control()", Leaker.TEST)
    assert [residue.stream.name for residue in witness.boundary.residues] == ["compute", "copy"]


def test_a_stream_of_the_code_under_test_is_its_own_leak() -> None:
    witness = seen_by([drained(boundary("store()", 5, (THEIRS, 0.2)))], FAILURE)

    assert witness is not None
    assert witness.leaker is Leaker.CODE_UNDER_TEST


def test_work_that_was_left_once_in_three_trials_is_no_witness() -> None:
    assert seen_by([drained(boundary("control()", 5, (OURS, 0.7))), drained(), drained()], FAILURE) is None


def test_work_left_after_the_call_cannot_explain_a_failure_during_it() -> None:
    assert seen_by([drained(boundary("call", 1, (OURS, 0.7)))], FAILURE) is None


def test_the_times_are_those_of_a_typical_trial() -> None:
    trials = [drained(boundary("control()", 5, (OURS, seconds))) for seconds in (9.0, 0.7, 0.6)]

    witness = seen_by(trials, FAILURE)

    assert witness is not None
    assert witness.boundary.residues[0].seconds == 0.7


def test_idle_boundaries_are_no_witness() -> None:
    assert seen_by([drained(), drained()], FAILURE) is None


def test_what_a_parametrized_test_left_is_found_by_its_function() -> None:
    polluter = "test_a.py::TestStore::test_store[gpu::0-False]"
    ended = Boundary("call", Site("test_a.py", 1, "test_store"), (Residue(OURS, 0.7),))

    witness = seen_against([drained(ended)], polluter)

    assert witness is not None
    assert witness.leaker is Leaker.TEST
    assert left_by([drained(ended)], [polluter]) == {polluter: 0.7}
