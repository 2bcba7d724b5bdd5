"""What belongs to a suite, and which functions are watched in it."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from triage_bot.lab.suite import SuiteFiles, function_codes

ROOT = Path("/repo")
FILES = SuiteFiles(ROOT, {ROOT / "tests/gpu/test_swap.py"})


@pytest.mark.parametrize(
    ("file", "belongs"),
    [
        ("tests/gpu/test_swap.py", True),
        ("tests/gpu/conftest.py", True),
        ("tests/conftest.py", True),
        ("tests/cpu/conftest.py", False),
        ("tests/gpu/swap_helpers.py", True),
        ("tests/gpu/inner/utils.py", True),
        ("tests/gpu/helperless.py", False),
        ("tests/gpu/worker.py", False),
        ("src/worker.py", False),
        ("src/test_utils.py", False),
    ],
)
def test_test_modules_conftests_and_helpers_beside_them_are_the_suite(file: str, belongs: bool) -> None:
    assert (str(ROOT / file) in FILES) is belongs


def test_paths_are_told_relative_to_the_root_where_they_lie_in_it() -> None:
    assert FILES.relative("/repo/tests/a.py") == "tests/a.py"
    assert FILES.relative("/usr/lib/a.py") == "/usr/lib/a.py"


SOURCE = """
import functools, contextlib
import pytest
from os.path import join

def plain():
    def nested():
        return (lambda: 1)()
    return nested

@contextlib.contextmanager
def managed():
    yield

def decorated(function):
    @functools.wraps(function)
    def around(*values):
        return function(*values)
    return around

@decorated
@decorated
def twice(): pass

@pytest.fixture
def device():
    yield 1

from unittest.mock import call

class TestIt:
    def test_method(self): pass
    @staticmethod
    def helper(): pass
    @classmethod
    def made(cls): pass
"""


def test_every_function_that_a_module_defines_is_watched_and_no_other() -> None:
    module = ModuleType("test_watched")
    module.__file__ = "/repo/tests/test_watched.py"
    exec(compile(SOURCE, module.__file__, "exec"), module.__dict__)
    names = {code.co_name for code in function_codes(module)}
    assert names == {
        *("plain", "nested", "managed", "decorated", "around", "twice", "device"),
        *("test_method", "helper", "made"),
    }
