"""Each edge has one case, and dropping an edge makes exactly its own case race."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from types import ModuleType

import pytest

import kvrace_tests.cases
import kvrace_tests.offload.backend
from kvrace_tests.cases.phases import Drive, Phase
from kvrace_tests.cases.table import CASES, listing
from kvrace_tests.harness.detector import races
from kvrace_tests.harness.emulator import Emulator
from kvrace_tests.harness.judge import VACUOUS, Judge
from kvrace_tests.offload.ordering import KEEP_ALL, Edge, without
from triage_bot.core.signatures import match

EMULATED = [edge for edge in Edge if edge is not Edge.COUNT_AFTER_OTHER_BLOCKS]


def _module(edge: Edge) -> ModuleType:
    return importlib.import_module(f"kvrace_tests.cases.{CASES[edge]}")


def test_every_edge_has_one_case_and_every_case_one_edge() -> None:
    files = {path.stem for path in Path(kvrace_tests.cases.__file__).parent.glob("test_*.py")}
    assert list(CASES) == list(Edge)
    assert sorted(CASES.values()) == sorted(files)
    assert all(_module(edge).EDGE is edge for edge in Edge)


def test_the_listing_names_every_edge_its_hazard_and_its_case() -> None:
    lines = listing().splitlines()[1:]
    assert [line.split()[0] for line in lines] == [edge.label for edge in Edge]
    assert all(edge.value.hazard.value in line and CASES[edge] in line for edge, line in zip(Edge, lines, strict=True))


@pytest.mark.parametrize("edge", EMULATED, ids=lambda edge: edge.label)
def test_dropping_an_edge_makes_its_own_case_race_and_no_other(edge: Edge) -> None:
    raced = set()
    for other in EMULATED:
        device = Emulator("1")
        drive: Drive = _module(other).drive
        wrong = drive(device, without(edge), Phase.CONTROL).wrong
        seen = races(device.run.trace.entries)
        assert bool(wrong) == bool(seen), f"the witnesses disagree on {other.label} without {edge.label}"
        if wrong:
            raced.add(other)
            assert edge.value.hazard in {race.hazard for race in seen}
    assert raced == {edge}


@pytest.mark.parametrize("edge", EMULATED, ids=lambda edge: edge.label)
def test_a_phase_leaves_nothing_on_the_device(edge: Edge) -> None:
    device = Emulator("1")
    drive: Drive = _module(edge).drive
    for keep in (without(edge), KEEP_ALL):
        drive(device, keep, Phase.CONTROL)
        assert device.idle()


class _Half:
    def __init__(self, wrong: int) -> None:
        self.wrong, self.checked, self.residual_ms, self.seconds = wrong, 8, 0.0, 1.0


def _judge() -> tuple[Judge, dict[str, object]]:
    properties: dict[str, object] = {}
    return Judge(Emulator("0"), properties.__setitem__), properties


def test_a_fixed_phase_that_raced_fails_with_the_guard_and_the_count() -> None:
    judge, properties = _judge()
    with pytest.raises(AssertionError, match="store raced compute even with the barrier: 3 corrupt"):
        judge(Edge.STORE_AFTER_COMPUTE_WRITE, _Half(4), _Half(3), guard="store raced compute even with the barrier")
    assert properties["kvrace.control"] == "4/8"
    assert properties["kvrace.fixed"] == "3/8"


def test_a_control_phase_that_never_raced_is_called_vacuous() -> None:
    judge, _ = _judge()
    with pytest.raises(AssertionError, match=VACUOUS):
        judge(Edge.STORE_AFTER_COMPUTE_WRITE, _Half(0), _Half(0), guard="guard")


def test_wrong_bytes_without_a_race_in_the_trace_are_a_disagreement() -> None:
    judge, _ = _judge()
    with pytest.raises(AssertionError, match="the witnesses disagree"):
        judge(Edge.STORE_AFTER_COMPUTE_WRITE, _Half(4), _Half(0), guard="guard")


def test_the_backend_keeps_each_edge_in_exactly_one_place() -> None:
    source = Path(kvrace_tests.offload.backend.__file__).read_text(encoding="utf-8")
    kept = {edge: source.count(f"Edge.{edge.name} in self._keep") for edge in EMULATED}
    assert kept == dict.fromkeys(EMULATED, 1)


@pytest.mark.parametrize("edge", list(Edge), ids=lambda edge: edge.label)
def test_the_message_of_a_raced_case_reads_as_a_guard(edge: Edge) -> None:
    source = Path(str(_module(edge).__file__)).read_text(encoding="utf-8")
    (guard,) = re.findall(r'guard="([^"]+)"', source)
    rule = match(f"AssertionError: {guard}: 3 corrupt")
    assert rule is not None
    assert rule.family == "guard"
