"""The torch specimens say what they are. They run on a CUDA device only; here their source is read."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import kvrace_tests
from triage_bot.core.findings import Leaker, VerdictName

FOLDER = Path(kvrace_tests.__file__).parent / "specimens" / "torch"
MODULES = sorted(FOLDER.glob("test_*.py"))


def constants(module: ast.Module) -> dict[str, object]:
    return {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in module.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id.isupper()
        if isinstance(node.value, (ast.Constant, ast.Dict))
    }


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_every_test_of_a_specimen_has_a_true_verdict(path: Path) -> None:
    module = ast.parse(path.read_text(encoding="utf-8"))
    tests = {node.name for node in module.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}
    truth = constants(module)["TRUTH"]
    assert isinstance(truth, dict)
    assert set(truth) == tests
    assert set(truth.values()) <= {"healthy", *(name.value for name in VerdictName)}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_a_specimen_that_leaks_says_who_and_on_which_stream(path: Path) -> None:
    told = constants(ast.parse(path.read_text(encoding="utf-8")))
    leaks = VerdictName.CROSS_PHASE_CONTAMINATION.value in dict(told["TRUTH"]).values()  # type: ignore[call-overload]
    assert leaks == ("LEAKER" in told) == ("LEAKING_STREAM" in told)
    assert told.get("LEAKER", "test") in {leaker.value for leaker in Leaker}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_a_specimen_knows_nothing_of_the_bot(path: Path) -> None:
    assert "triage" not in path.read_text(encoding="utf-8").lower()


def test_there_are_specimens() -> None:
    assert len(MODULES) >= 10
