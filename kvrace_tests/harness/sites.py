"""Who created a stream: the nearest frame outside the harness, and the variable that it was assigned to."""

from __future__ import annotations

import ast
import functools
import linecache
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

HARNESS = str(Path(__file__).parent)
_Place = tuple[int, int]
"""Line, 1-based, and column, 0-based; column -1 is before all others."""


@dataclass(frozen=True)
class CreationSite:
    """A place in source code that made a stream."""

    file: str
    """Absolute path."""
    line: int
    """1-based."""
    function: str
    variable: str
    """Variable or attribute; empty when the call is not the value of one assignment."""


def calling_site() -> CreationSite:
    """The site of the caller's caller, the harness and frames that set ``__tracebackhide__`` left out."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and _internal(frame):
        frame = frame.f_back
    if frame is None:
        return CreationSite("", 0, "", "")
    code = frame.f_code
    variable = _variable(code.co_filename, frame.f_lineno, _column(frame))
    return CreationSite(code.co_filename, frame.f_lineno, code.co_name, variable)


def _internal(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(HARNESS) or bool(frame.f_locals.get("__tracebackhide__"))


def _column(frame: FrameType) -> int:
    """Column at which the running expression begins; -1 before Python 3.11, where it is not known."""
    if sys.version_info < (3, 11):
        return -1
    column = list(frame.f_code.co_positions())[frame.f_lasti // 2][2]
    return -1 if column is None else column


def _variable(file: str, line: int, column: int) -> str:
    """The target of the innermost assignment around a place; empty when there is none, or no single one."""
    names = [name for name, begin, end in _assigned(file) if begin <= (line, column) < end]
    return names[-1] if names else ""


@functools.lru_cache(maxsize=64)
def _assigned(file: str) -> tuple[tuple[str, _Place, _Place], ...]:
    """Targets, and from where to where each is assigned to: the walk comes to the outer statements first."""
    return tuple(found for node in ast.walk(_tree(file)) for found in _targets(node))


def _targets(node: ast.AST) -> Iterator[tuple[str, _Place, _Place]]:
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target = node.targets[0]
    elif isinstance(node, ast.AnnAssign):
        target = node.target
    else:
        return
    # The whole lines: what else stands there is part of the statement, and its column may not be known.
    yield _name(target), (target.lineno, -1), ((node.end_lineno or node.lineno) + 1, -1)
    if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
        for one, value in zip(target.elts, node.value.elts):  # noqa: B905 - a starred target ends the pairing
            if isinstance(one, ast.Starred):
                return
            yield _name(one), (value.lineno, value.col_offset), (value.end_lineno or 0, value.end_col_offset or 0)


def _tree(file: str) -> ast.AST:
    try:
        return ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:
        return ast.Module(body=[], type_ignores=[])


def _name(target: ast.expr) -> str:
    if isinstance(target, ast.Name):
        return target.id
    if isinstance(target, ast.Attribute):
        return target.attr
    return ""
