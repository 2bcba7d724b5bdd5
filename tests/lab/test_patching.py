"""A fix put into modules that are already imported."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from triage_bot.core.remedy import Patch
from triage_bot.lab.patching import apply

BEFORE = """
import contextlib

def drive():
    return "leaks"

@contextlib.contextmanager
def phase():
    yield "leaks"

class Worker:
    def run(self):
        return "leaks"

def outer():
    kept = "kept"
    def inner():
        return kept + " leaks"
    return inner

def closing():
    bound = "leaks"
    def closed():
        return bound
    return closed

closed = closing()
"""


@pytest.fixture
def module(tmp_path: Path) -> Iterator[ModuleType]:
    """An imported module of that source."""
    made = ModuleType("patched_here")
    made.__file__ = str(tmp_path / "patched_here.py")
    exec(compile(BEFORE, made.__file__, "exec"), made.__dict__)
    sys.modules["patched_here"] = made
    yield made
    del sys.modules["patched_here"]


def patched(module: ModuleType, source: str) -> None:
    assert module.__file__ is not None
    apply(Patch(module.__file__, source))


def test_functions_methods_and_context_managers_run_the_new_code(module: ModuleType) -> None:
    held = module.drive  # someone imported it by name
    patched(module, BEFORE.replace('"leaks"', '"drained"').replace(" leaks", " drained"))
    assert held() == "drained"
    assert module.Worker().run() == "drained"
    with module.phase() as said:
        assert said == "drained"
    assert module.outer()() == "kept drained"


def test_code_with_other_free_variables_takes_no_functions_place(module: ModuleType) -> None:
    patched(module, BEFORE.replace("        return bound\n", "        return 'unbound'\n"))
    assert module.closed() == "leaks"


def test_a_patch_that_does_not_compile_changes_nothing(module: ModuleType) -> None:
    with pytest.raises(SyntaxError):
        patched(module, BEFORE + "\ndef (:\n")
    assert module.drive() == "leaks"
