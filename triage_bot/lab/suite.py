"""What belongs to the test suite, as against the code under test: whose leak it was rests on it.

In doubt a file is code under test: then a leak is only suspected, and a person looks.
"""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterator
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

from triage_bot.core.suite_files import named_as_helper, named_for_pytest


class SuiteFiles:
    """The collected test modules, the ``conftest.py`` files, and modules beside them that are named as helpers."""

    def __init__(self, root: Path, modules: Collection[Path]) -> None:
        self._root = root
        self._modules = frozenset(modules)
        self._folders = frozenset(module.parent for module in modules)
        self._known: dict[str, bool] = {}

    def __contains__(self, file: str) -> bool:
        if file not in self._known:
            self._known[file] = self._belongs(Path(file))
        return self._known[file]

    def _belongs(self, path: Path) -> bool:
        if path in self._modules:
            return True
        if named_for_pytest(path):
            return any(folder.is_relative_to(path.parent) for folder in self._folders)
        beside = any(path.is_relative_to(folder) for folder in self._folders)
        return beside and named_as_helper(path)

    def relative(self, file: str) -> str:
        """``file`` relative to the suite's root when it lies there, else unchanged."""
        path = Path(file)
        return path.relative_to(self._root).as_posix() if path.is_relative_to(self._root) else file


def functions(module: ModuleType) -> Iterator[FunctionType]:
    """Every function and method that ``module`` defines, under the decorators it wears."""
    for value in vars(module).values():
        members = vars(value).values() if isinstance(value, type) else (value,)
        for member in members:
            inner = _innermost(member)
            if isinstance(inner, FunctionType) and inner.__code__.co_filename == module.__file__:
                yield inner


def _innermost(member: object) -> object:
    """A context manager, a fixture or a decorator wraps the function that holds the lines."""
    try:
        return inspect.unwrap(member)  # type: ignore[arg-type]  # it asks any object for what it wraps
    except ValueError:  # some objects claim to wrap without end, such as a mock's call
        return member


def function_codes(module: ModuleType) -> Iterator[CodeType]:
    """Code of every function, method and nested function that ``module`` defines."""
    for function in functions(module):
        yield from _with_nested(function.__code__)


def _with_nested(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType) and not constant.co_name.startswith("<"):
            yield from _with_nested(constant)
