"""Puts a proposed fix into modules that are already imported, in a process that ends with the trial.

Replaces the code of the functions that the patched file defines; a patch that changes what happens at import needs a
fresh interpreter and is not offered.
"""

from __future__ import annotations

import ast
import linecache
import sys
from types import CodeType, FunctionType, ModuleType

from triage_bot.core.remedy import Patch
from triage_bot.lab.suite import functions


def apply(patch: Patch) -> None:
    """Give every function of the patched file its new code. ``SyntaxError`` when the patched text does not compile."""
    linecache.cache[patch.file] = (len(patch.source), None, patch.source.splitlines(keepends=True), patch.file)
    for module in list(sys.modules.values()):
        if getattr(module, "__file__", None) == patch.file:
            fresh = dict(_by_name(_compiled(patch, module), ""))
            for function in functions(module):
                _replace(function, fresh)


def _compiled(patch: Patch, module: ModuleType) -> CodeType:
    tree = ast.parse(patch.source, patch.file)
    if "@pytest_ar" in vars(module):
        # Its assertions were rewritten at import: a patched one that fails must read as it did unpatched.
        from _pytest.assertion.rewrite import rewrite_asserts  # noqa: PLC0415  # private: needed only here

        rewrite_asserts(tree, patch.source.encode(), patch.file)
    return compile(tree, patch.file, "exec")


def _by_name(code: CodeType, prefix: str) -> list[tuple[str, CodeType]]:
    found: list[tuple[str, CodeType]] = []
    for constant in code.co_consts:
        if isinstance(constant, CodeType) and not constant.co_name.startswith("<"):
            name = f"{prefix}{constant.co_name}"
            found += [(name, constant), *_by_name(constant, f"{name}.")]
    return found


def _replace(function: FunctionType, fresh: dict[str, CodeType]) -> None:
    code = fresh.get(function.__qualname__)
    # Free variables are bound by position: code with other ones cannot take this function's place.
    if code is not None and code.co_freevars == function.__code__.co_freevars:
        function.__code__ = code
