"""The zoo says of itself what it must, so that whoever measures a bot on it can rely on it."""

from __future__ import annotations

import importlib
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

import kvrace_tests.specimens.emulated as zoo
from kvrace_tests.harness.emulator import Emulator
from kvrace_tests.specimens.emulated import test_leaky_store as leaky
from triage_bot.core.findings import Leaker, VerdictName

MODULES = [path.stem for path in sorted(Path(zoo.__file__).parent.glob("test_*.py"))]


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"{zoo.__name__}.{name}")


def _tests(module: ModuleType) -> set[str]:
    return {name for name in vars(module) if name.startswith("test_")}


@pytest.mark.parametrize("name", MODULES)
def test_a_module_gives_a_verdict_to_each_of_its_tests_and_says_why(name: str) -> None:
    module = _module(name)
    assert len(module.__doc__ or "") > 100
    assert _tests(module) - set(module.TRUTH) <= {getattr(module, "POLLUTER", "")}
    assert set(module.TRUTH.values()) <= {verdict.value for verdict in VerdictName} | {"healthy"}


@pytest.mark.parametrize("name", MODULES)
def test_contamination_names_its_leaker_or_its_polluter(name: str) -> None:
    module = _module(name)
    verdicts = set(module.TRUTH.values())
    if "cross-phase-contamination" in verdicts:
        assert module.LEAKER in {leaker.value for leaker in Leaker}
        assert module.LEAKING_STREAM
    if verdicts & {"cross-test-contamination", "order-dependent"}:
        assert module.POLLUTER in _tests(module)


def test_there_are_three_specimens_of_each_verdict_that_reruns_can_prove_and_as_many_healthy_ones() -> None:
    counted = Counter(verdict for name in MODULES for verdict in _module(name).TRUTH.values())
    healthy = counted.pop("healthy")
    provable = {
        "cross-phase-contamination",
        "ordering-bug",
        "time-sensitive",
        "broken",
        "cross-test-contamination",
        "order-dependent",
        "vacuous-control",
        "flaky",
    }
    assert set(counted) == provable
    assert min(counted.values()) >= 3
    assert counted.total() >= 30
    assert healthy >= counted.total()


def test_the_leaky_store_leaves_most_of_its_compute_behind_and_its_twin_nothing() -> None:
    device = Emulator("1")
    leaky._drive_store(leaky.Cache(device), 1, with_barrier=False)
    began = device.now()
    device.synchronize()
    assert device.now() - began > 0.6
    leaky._drive_store(leaky.Cache(device), 1, with_barrier=False, drained=True)
    assert device.idle()
