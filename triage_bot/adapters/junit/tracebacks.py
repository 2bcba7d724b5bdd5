"""Where the traceback of a failure says that it was raised, and as what.

Told as a trial tells it, or the failure would not be known again: by the innermost frame in the suite. Where no frame
can be told to be the suite's, the innermost that is no installed library's stands for it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from triage_bot.adapters.junit.limits import MESSAGE_LIMIT
from triage_bot.core.suite_files import named_as_helper, named_for_pytest

_PYTEST_FRAME = re.compile(r"^(?!E  |>  )([^\s:][^:\n]*\.\w+):(\d+): ?(in )?(.*)$", re.MULTILINE)
"""As pytest ends a frame; in its short style what follows is the function, else the exception of the last one."""
_PYTHON_FRAME = re.compile(r'^(?:E  )?[ \t]*File "([^"\n]+)", line (\d+)', re.MULTILINE)
_TYPE_ALONE = re.compile(r"[A-Za-z_][\w.]*")
_INSTALLED = re.compile(r"(^|/)(site-packages|dist-packages|lib/python3[.\d]*)/|^<")


_PYTHON_ENDING = re.compile(r"^(?!Traceback |During |The above )[A-Za-z_][\w.]*(?:: .*)?$", re.MULTILINE)
"""The line of an exception in a traceback of Python's, which is not indented, as all others of it are."""
_TELLS_NOTHING = re.compile(
    r"(=== (RUN|PAUSE|CONT|NAME)\b|--- (FAIL|SKIP|PASS):|- (file|line) *:|Traceback \(|[A-Z ]+:$|[-=_+ ]+$)"
)


class Place(NamedTuple):
    """Where a failure was raised."""

    file: str
    """Empty when the traceback does not tell."""
    line: int
    kind: str = ""
    """Exception type, where the traceback ends in it."""


def place(text: str, module: str) -> Place:
    """The place that a traceback tells; ``module`` is the test's own file or class name, as the report gives it."""
    frames = [_frame(match) for match in _PYTEST_FRAME.finditer(text)]
    python = [Place(match[1], int(match[2])) for match in _PYTHON_FRAME.finditer(text)]
    kind = frames[-1].kind if frames else ""
    # A file that did not compile is in no frame: it stands in the error.
    marked = python if text.rfind('\nE     File "') > 0 else []
    frames = [*frames, *marked] or python
    own = _of_suite(frames, module) or [frame for frame in frames if not _foreign(frame.file)]
    file, line, _ = (own or frames or [Place("", 0)])[-1]
    return Place(file, line, kind)


def telling(text: str) -> str:
    """The line in which a text says what failed, for reporters that put no message beside it; empty for none."""
    frames = [match.end() for match in _PYTHON_FRAME.finditer(text)]
    ending = _PYTHON_ENDING.search(text, frames[-1]) if frames else None
    if ending is not None:
        return text[ending.start() : ending.start() + MESSAGE_LIMIT].strip()
    lines = (line.strip().removeprefix("- message: ") for line in text.splitlines())
    return next((line[:MESSAGE_LIMIT] for line in lines if line and not _TELLS_NOTHING.match(line)), "")


def _frame(match: re.Match[str]) -> Place:
    said = "" if match[3] else match[4].strip()
    return Place(match[1].replace("\\", "/"), int(match[2]), said if _TYPE_ALONE.fullmatch(said) else "")


def _of_suite(frames: Sequence[Place], module: str) -> list[Place]:
    """The frames in the test's module, in what pytest loads beside it, and in helpers below its folder."""
    told = module.removesuffix(".py").replace("\\", "/").replace("/", ".").split(".")
    shared = {frame.file: _shared(PurePosixPath(frame.file), told) for frame in frames}
    most = max(shared.values(), default=0)
    modules = {file for file, parts in shared.items() if most and parts == most}
    folders = {PurePosixPath(file).parent for file in modules}
    return [frame for frame in frames if frame.file in modules or _beside(PurePosixPath(frame.file), folders)]


def _beside(file: PurePosixPath, folders: set[PurePosixPath]) -> bool:
    helper = named_as_helper(file) and any(file.is_relative_to(folder) for folder in folders)
    return helper or named_for_pytest(file)


def _shared(file: PurePosixPath, told: Sequence[str]) -> int:
    """How many parts of a class name its module takes, if that is this file, whichever folder either is told from."""
    parts = [*(part for part in file.parent.parts if part not in ("..", "/")), file.stem]
    for end in range(len(told), 0, -1):
        known = min(end, len(parts))
        if [*told[end - known : end]] == parts[-known:]:
            return end
    return 0


def _foreign(file: str) -> bool:
    return _INSTALLED.search(file) is not None
