"""The measurements run: each on the least that shows it."""

from __future__ import annotations

import ast
from dataclasses import replace

import pytest

from benchmarks import accuracy, cross_test, mutation
from benchmarks.cross_runs import Result, in_process
from benchmarks.cross_suite import KINDS, generate, kinds
from benchmarks.emulated_lab import ROOT, EmulatedLab, zoo
from benchmarks.emulated_seeds import LEAKY, MODULE, promises
from kvrace_tests.offload.ordering import Edge
from triage_bot.core.arms import Arm

SPECIMENS = {specimen.test: specimen for specimen in zoo()}


@pytest.mark.parametrize(
    "test",
    [
        "test_save_orders_by_two_barriers",
        "test_sum_of_two_buffers",
        "test_staged_blocks_arrive",
        "test_results_stay",
        "test_region_is_used",
    ],
)
def test_the_decision_finds_the_truth_of_a_specimen(test: str) -> None:
    specimen = SPECIMENS[test]
    result = accuracy.one(specimen, seed=3)
    assert result.verdict == specimen.truth
    assert accuracy.right(result, specimen)


@pytest.mark.parametrize(
    ("test", "seed"),
    [
        ("test_event_recorded_before_the_work", 30),  # the host is late in both first looks at the slowed stream
        ("test_replay_uses_new_input", 49),  # so it is here
        ("test_drain_by_an_early_event", 119),  # fails three times by itself at first, and rarely after that
        ("test_recursion_over_phases", 189),  # passes five times where nothing was drained
    ],
)
def test_bad_luck_does_not_hide_the_truth_of_a_specimen(test: str, seed: int) -> None:
    specimen = SPECIMENS[test]
    assert accuracy.right(accuracy.one(specimen, seed), specimen)


def test_the_right_verdict_with_the_wrong_polluter_is_wrong() -> None:
    specimen = SPECIMENS["test_results_stay"]
    result = replace(accuracy.one(specimen, seed=0), polluter="a.py::test_all_results_are_there")
    assert result.verdict == specimen.truth
    assert not accuracy.right(result, specimen)


def test_a_table_counts_wrong_and_undecided_apart() -> None:
    def result(test: str, verdict: str) -> accuracy.Result:
        specimen = SPECIMENS[test]
        return accuracy.Result(specimen.node_id, 0, specimen.truth, verdict, "confirmed", "", trials=4, seconds=0.1)

    broken, flaky = (next(s.test for s in zoo() if s.truth == truth) for truth in ("broken", "flaky"))
    table = accuracy.Table.of([result(broken, "broken"), result(broken, "flaky"), result(flaky, "inconclusive")], zoo())
    assert (table.triages, len(table.wrong), table.undecided) == (3, 1, 1)
    assert [(row.truth, row.verdicts) for row in table.rows] == [
        ("broken", {"broken": 1, "flaky": 1}),
        ("flaky", {"inconclusive": 1}),
    ]


def test_the_leak_of_the_leaky_store_is_witnessed_in_this_process() -> None:
    observation = EmulatedLab(MODULE, seed=0).run(LEAKY, Arm.parse("stretched+drained"), 0)
    (boundary,) = observation.boundaries
    assert boundary.statement.startswith("control = _drive_store(")
    (residue,) = boundary.residues
    assert residue.stream.name == "compute_stream"
    assert residue.stream.in_suite
    assert residue.seconds > 0.3


def test_rates_that_break_a_promise_are_said() -> None:
    rates = {("leaky", "as-is"): 3, ("leaky", "stretched"): 100, ("leaky", "drained"): 0}
    rates |= {("leaky", "stretched+drained"): 0, ("healthy", "as-is"): 0}
    assert promises(rates, 100) == []
    assert promises({**rates, ("healthy", "as-is"): 1}, 100) == ["the healthy store fails"]


def test_a_mutant_has_lost_exactly_one_edge() -> None:
    source = (ROOT / mutation.BACKEND).read_text(encoding="utf-8")
    mutant = mutation.mutated(source, Edge.REUSE_AFTER_STORE_READ)
    assert "REUSE_AFTER_STORE_READ" not in mutant
    assert "REASSIGN_AFTER_LOAD_WRITE in self._keep" in mutant
    with pytest.raises(ValueError, match="kept in 0 places"):
        mutation.mutated(source, Edge.COUNT_AFTER_OTHER_BLOCKS)


@pytest.mark.parametrize("kind", ["copy", "registration"])
def test_the_polluter_of_a_generated_suite_is_named_with_what_it_left(kind: str) -> None:
    result = in_process(kind, seed=1)
    assert (result.verdict, result.grade) == (KINDS[kind].truth, "confirmed")
    assert (result.named, result.told, result.said) == (True, True, True)
    assert result.trials <= cross_test.MOST_TRIALS


@pytest.mark.parametrize("device", ["emulated", "torch"])
def test_a_generated_suite_has_one_polluter_before_its_victim_and_only_innocent_tests_else(device: str) -> None:
    for kind in kinds(device):
        suite = generate(device, kind, seed=7)
        assert suite == generate(device, kind, seed=7)
        assert suite.tests.index(suite.polluter) < suite.tests.index(suite.victim)
        functions = [node.name for node in ast.parse(suite.source).body if isinstance(node, ast.FunctionDef)]
        assert [name for name in functions if name.startswith("test_")] == list(suite.tests)
        assert len(suite.tests) == 200


def test_a_table_of_suites_holds_only_if_state_and_work_in_flight_are_always_told_apart() -> None:
    right = Result(
        "setting", 0, "order-dependent", "order-dependent", "confirmed", True, True, True, 29, 1.0, 50, 9, ""
    )
    table = cross_test.Table.of("emulated", "process", [right] * 30 + [replace(right, named=False)])
    assert (table.holds, len(table.missed)) == (True, 1)
    assert not cross_test.Table.of("emulated", "process", [right] * 30 + [replace(right, told=False)]).holds
    assert not cross_test.Table.of("emulated", "process", [right, replace(right, trials=41)]).holds
