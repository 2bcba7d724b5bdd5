"""Who created a stream: the nearest frame outside the harness, and the variable that it was assigned to."""

from __future__ import annotations

import ast
import functools
import linecache
import sys
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

HARNESS = str(Path(__file__).parent)


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
    return CreationSite(code.co_filename, frame.f_lineno, code.co_name, _variable(code.co_filename, frame.f_lineno))


def _internal(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(HARNESS) or bool(frame.f_locals.get("__tracebackhide__"))


def _variable(file: str, line: int) -> str:
    """The single target of the innermost assignment that spans a line."""
    return _variables(file).get(line, "")


@functools.lru_cache(maxsize=64)
def _variables(file: str) -> dict[int, str]:
    """Each line's innermost assignment: the walk comes to the outer ones first."""
    found: dict[int, str] = {}
    for node in ast.walk(_tree(file)):
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AnnAssign):
            targets = [node.target]
        if len(targets) == 1:
            found.update(dict.fromkeys(range(targets[0].lineno, _last_line(node) + 1), _name(targets[0])))
    return found


def _tree(file: str) -> ast.AST:
    try:
        return ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:
        return ast.Module(body=[], type_ignores=[])


def _last_line(node: ast.AST) -> int:
    last: int = getattr(node, "end_lineno", 0)
    return last


def _name(target: ast.expr) -> str:
    if isinstance(target, ast.Name):
        return target.id
    if isinstance(target, ast.Attribute):
        return target.attr
    return ""
