"""Which statement a line belongs to: where a test function's phases can end. Pure; source text in, spans out.

A phase boundary may lie at the end of a straight-line statement. The bodies of ``try``, ``with``, ``if`` and ``match``
are straight-line code too; a loop is one statement, unless its inside is asked for.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Statement:
    """A straight-line statement, or the head of a compound one."""

    first: int
    """First line, 1-based."""
    last: int
    """Last line, inclusive."""
    text: str
    """The first source line, stripped."""


@functools.lru_cache(maxsize=512)  # a process may make many trials of the same source
def statements(source: str, first_line: int, *, deep: bool) -> Mapping[int, Statement]:
    """Line to statement for the function whose code starts at ``first_line`` (a decorator's line, where it has one).

    ``deep`` looks into loops as well. Empty when no function starts there or the source does not parse.
    """
    function = _functions(source).get(first_line)
    if function is None:
        return {}
    lines = source.splitlines()
    return {
        line: Statement(first, last, lines[first - 1].strip())
        for first, last in _spans(function.body, deep)
        for line in range(first, last + 1)
    }


@functools.lru_cache(maxsize=64)
def _functions(source: str) -> Mapping[int, ast.FunctionDef | ast.AsyncFunctionDef]:
    """The functions of a source by their first lines; of two that share one, the outer."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return {}
    found: dict[int, ast.FunctionDef | ast.AsyncFunctionDef] = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.setdefault(_starts_at(node), node)
    return found


def _starts_at(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _spans(body: list[ast.stmt], deep: bool) -> Iterator[tuple[int, int]]:
    for statement in body:
        bodies = _bodies(statement, deep)
        end = statement.end_lineno or statement.lineno
        if not bodies:
            yield statement.lineno, end
            continue
        # A head ends before its body; on `if x: y()` both share the line, and the body, coming later, takes it.
        yield statement.lineno, max(statement.lineno, min(inner[0].lineno for inner in bodies) - 1)
        for inner in bodies:
            yield from _spans(inner, deep)


def _bodies(statement: ast.stmt, deep: bool) -> list[list[ast.stmt]]:
    """The bodies of a compound statement that are straight-line code; empty when it counts as one statement."""
    found: list[list[ast.stmt]] = []
    if isinstance(statement, (ast.With, ast.AsyncWith)):
        found = [statement.body]
    elif isinstance(statement, ast.If):
        found = [statement.body, statement.orelse]
    elif isinstance(statement, ast.Match):
        found = [case.body for case in statement.cases]
    elif _is_try(statement):
        handlers = [handler.body for handler in statement.handlers]  # type: ignore[attr-defined]  # Try or TryStar
        found = [statement.body, *handlers, statement.orelse, statement.finalbody]  # type: ignore[attr-defined]
    elif deep and isinstance(statement, (ast.For, ast.AsyncFor, ast.While)):
        found = [statement.body, statement.orelse]
    return [body for body in found if body]


def _is_try(statement: ast.stmt) -> bool:
    # ast.TryStar is missing before Python 3.11.
    return type(statement).__name__ in ("Try", "TryStar")
