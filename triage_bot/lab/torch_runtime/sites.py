"""Where a stream was created, and the variable it was assigned to. Reads frames and source text; touches no device."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import FrameType


@dataclass(frozen=True)
class CreationSite:
    """The place in the caller's code that created a stream."""

    variable: str
    """The variable or attribute it was assigned to; empty when the statement does not say."""
    file: str
    """Absolute path; empty when nothing outside the skipped directories is on the stack."""
    line: int
    function: str


def creation_site(frame: FrameType | None, skip: tuple[str, ...]) -> CreationSite:
    """The innermost frame from ``frame`` outwards whose file lies in none of the directories ``skip``.

    A frame that sets ``__tracebackhide__`` is passed over, as pytest does: it creates streams on behalf of its caller.
    """
    while frame is not None and _passed_over(frame, skip):
        frame = frame.f_back
    if frame is None:
        return CreationSite("", "", 0, "")
    file = _resolved(frame.f_code.co_filename)
    variable = assigned_variable("".join(linecache.getlines(frame.f_code.co_filename)), frame.f_lineno, _column(frame))
    return CreationSite(variable, file, frame.f_lineno, frame.f_code.co_name)


def _passed_over(frame: FrameType, skip: tuple[str, ...]) -> bool:
    return _resolved(frame.f_code.co_filename).startswith(skip) or bool(frame.f_locals.get("__tracebackhide__"))


@lru_cache(maxsize=1024)
def _resolved(filename: str) -> str:
    return str(Path(filename).absolute())


def _column(frame: FrameType) -> int | None:
    """Column at which the running expression begins; None before Python 3.11."""
    positions = getattr(frame.f_code, "co_positions", None)
    if positions is None:
        return None
    found: list[tuple[int | None, int | None, int | None, int | None]] = list(positions())
    return found[frame.f_lasti // 2][2]


def assigned_variable(source: str, line: int, column: int | None = None) -> str:
    """The name that the stream created at ``line`` is given there; empty when no single name is.

    A call is taken for the creation when the last part of its name ends in ``stream``, in any case; ``column`` tells
    several such calls of one line apart.
    """
    names = {
        name
        for name, call in _named_calls(source)
        if call.lineno <= line <= (call.end_lineno or call.lineno) and column in (None, call.col_offset)
    }
    return names.pop() if len(names) == 1 else ""


@lru_cache(maxsize=64)
def _named_calls(source: str) -> tuple[tuple[str, ast.Call], ...]:
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return ()
    return tuple(
        (name, call)
        for node in ast.walk(tree)
        for target, value in _assignments(node)
        for name, call in _pairs(target, value)
    )


def _assignments(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    if isinstance(node, ast.Assign):
        yield node.targets[-1], node.value
    elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
        yield node.target, node.value
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        yield node.optional_vars, node.context_expr


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.Call]]:
    if isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (ast.Tuple, ast.List)):
        for one_target, one_value in zip(target.elts, value.elts):  # noqa: B905 - a starred target ends the pairing
            yield from _pairs(one_target, one_value)
    name = target.id if isinstance(target, ast.Name) else target.attr if isinstance(target, ast.Attribute) else ""
    if name:
        yield from ((name, call) for call in _created(value))


def _created(value: ast.expr) -> Iterator[ast.Call]:
    """The calls in ``value`` that make a stream and whose result is the value."""
    if isinstance(value, ast.Call):
        callee = value.func
        last = callee.attr if isinstance(callee, ast.Attribute) else callee.id if isinstance(callee, ast.Name) else ""
        if last.lower().endswith("stream"):
            yield value
    elif isinstance(value, ast.IfExp):
        yield from (call for branch in (value.body, value.orelse) for call in _created(branch))
    elif isinstance(value, ast.BoolOp):
        yield from (call for operand in value.values for call in _created(operand))
    elif isinstance(value, ast.NamedExpr):
        yield from _created(value.value)
