"""From the witness and the source text to the smallest change that waits for the leftover work. Text in, text out.

The stream is waited for where it is out of reach of others: in the function that created it, before it returns. A
phase that is a loop of the test itself is waited for where it ends. No change is proposed for a stream that is not
held in a plain variable there. A proposal proves nothing: it is tried before anybody sees it.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from triage_bot.core.findings import Witness
from triage_bot.core.trials import Boundary, Site

Function = ast.FunctionDef | ast.AsyncFunctionDef
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


@dataclass(frozen=True)
class Patch:
    """A source file with a proposed fix in it."""

    file: str
    """As a ``Site`` names it."""
    source: str
    """The whole patched text."""


@dataclass(frozen=True)
class _Insertion:
    """A line to be put into a text."""

    before: int
    """1-based number of the line that it precedes."""
    indent: str


def home(witness: Witness) -> str | None:
    """The file that a fix would change: where the leaking stream was created; None when nobody saw that."""
    created = witness.boundary.residues[0].stream.created
    return created.file if created else None


def propose(witness: Witness, source: str) -> Patch | None:
    """``source``, the text of the witness's ``home``, with the leak closed; None when there is no plain way."""
    created = witness.boundary.residues[0].stream.created
    if created is None:
        return None
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return None
    lines = source.splitlines(keepends=True)
    function = _function_at(tree, created.line)
    variable = _variable(function, created.line) if function else None
    if function is None or variable is None:
        return None
    insertions = _insertions(function, created, witness.boundary, lines)
    patched = _inserted(lines, insertions, f"{variable}.synchronize()")
    return Patch(created.file, patched) if insertions and _parses(patched) else None


def unified(file: str, before: str, after: str) -> str:
    """The change as a unified diff."""
    return "".join(
        difflib.unified_diff(
            before.splitlines(keepends=True), after.splitlines(keepends=True), f"a/{file}", f"b/{file}"
        )
    )


def _insertions(function: Function, created: Site, boundary: Boundary, lines: Sequence[str]) -> list[_Insertion]:
    inside = boundary.site.file == created.file and _contains(function, boundary.site.line)
    if inside and not boundary.phase:
        ended = _statement_at(function, boundary.site.line)
        return [_after(ended, lines)] if ended else []
    block = _block(function, created.line)
    if block is not function.body:
        return [_after(block[-1], lines)]
    leaving = [statement for statement in _own(function) if _leaves(statement) and statement.lineno > created.line]
    insertions = [_Insertion(statement.lineno, _indent(lines, statement)) for statement in leaving]
    falls_through = not isinstance(block[-1], (ast.Return, ast.Raise)) and not any(map(_yields, leaving))
    return [*insertions, _after(block[-1], lines)] if falls_through else insertions


def _function_at(tree: ast.AST, line: int) -> Function | None:
    """The innermost function around a line."""
    around = [
        node
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and _contains(node, line)
    ]
    return max(around, key=lambda node: node.lineno, default=None)


def _contains(node: ast.stmt, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def _own(function: Function) -> Iterator[ast.stmt]:
    """Every statement of a function that is not part of a function or class inside it."""
    waiting = list(reversed(function.body))
    while waiting:
        statement = waiting.pop()
        yield statement
        if not isinstance(statement, _SCOPES):
            inner = [child for child in _descendants(statement) if isinstance(child, ast.stmt)]
            waiting.extend(reversed(inner))


def _descendants(statement: ast.stmt) -> Iterator[ast.AST]:
    """The statements directly inside a compound one; those of handlers and match cases included."""
    for child in ast.iter_child_nodes(statement):
        yield child
        if isinstance(child, (ast.ExceptHandler, ast.match_case)):
            yield from ast.iter_child_nodes(child)


def _variable(function: Function, line: int) -> str | None:
    """The plain local variable that the statement at ``line`` assigns."""
    for statement in _own(function):
        if isinstance(statement, ast.Assign) and _contains(statement, line):
            (target, *others) = statement.targets
            return target.id if isinstance(target, ast.Name) and not others else None
        if isinstance(statement, ast.AnnAssign) and _contains(statement, line):
            return statement.target.id if isinstance(statement.target, ast.Name) else None
    return None


def _block(function: Function, line: int) -> list[ast.stmt]:
    """The statements within which a variable assigned at ``line`` is the same: the innermost loop or branch around."""
    block = function.body
    for statement in _own(function):
        if isinstance(statement, (*_LOOPS, ast.If)):
            for inner in (statement.body, statement.orelse):
                if inner and inner[0].lineno <= line <= (inner[-1].end_lineno or 0):
                    block = inner
    return block


def _statement_at(function: Function, line: int) -> ast.stmt | None:
    """The statement that starts at ``line``, whole."""
    return next((statement for statement in _own(function) if statement.lineno == line), None)


def _leaves(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Return) or _yields(statement)


def _yields(statement: ast.stmt) -> bool:
    value = getattr(statement, "value", None)
    return isinstance(statement, (ast.Expr, ast.Assign)) and isinstance(value, (ast.Yield, ast.YieldFrom))


def _after(statement: ast.stmt, lines: Sequence[str]) -> _Insertion:
    return _Insertion((statement.end_lineno or statement.lineno) + 1, _indent(lines, statement))


def _indent(lines: Sequence[str], statement: ast.stmt) -> str:
    line = lines[statement.lineno - 1]
    return line[: len(line) - len(line.lstrip())]


def _inserted(lines: Sequence[str], insertions: Sequence[_Insertion], call: str) -> str:
    ending = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    patched = list(lines)
    if patched and not patched[-1].endswith(("\n", "\r")):
        patched[-1] += ending
    for insertion in sorted(insertions, key=lambda one: -one.before):
        patched.insert(insertion.before - 1, f"{insertion.indent}{call}{ending}")
    return "".join(patched)


def _parses(source: str) -> bool:
    try:
        ast.parse(source)
    except (SyntaxError, ValueError):
        return False
    return True
