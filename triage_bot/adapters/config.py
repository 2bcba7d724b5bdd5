"""``[tool.triage-bot]`` of the nearest pyproject.toml, as defaults for the options of the same meaning."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from triage_bot.errors import UsageError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

KEYS: Mapping[str, tuple[type, str, str]] = {
    "suite": (list, "rerun", "suite"),
    "stream-tests": (list, "rerun", "stream_tests"),
    "reruns": (int, "rerun", "reruns"),
    "budget": (str, "rerun", "budget"),
    "timeout": (str, "rerun", "timeout"),
    "max-failures": (int, "rerun", "max_failures"),
    "fail-on": (list, "rerun", "fail_on"),
    "labels": (bool, "publish", "labels"),
}
"""Key to its TOML type, the command that takes it, and the parameter of that command."""

_TYPE_WORDS = {list: "a list of strings", int: "a whole number", str: "a string", bool: "true or false"}


def defaults(start: Path) -> dict[str, dict[str, Any]]:
    """Command to parameter to value, from the pyproject.toml in ``start`` or the nearest folder above it."""
    for folder in (start, *start.parents):
        if (file := folder / "pyproject.toml").is_file():
            return _read(file)
    return {}


def _read(file: Path) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for key, value in _table(file).items():
        if key not in KEYS:
            raise UsageError(f"{file}: [tool.triage-bot] has no key {key!r}", _nearest(key))
        kind, command, parameter = KEYS[key]
        if not _fits(value, kind):
            raise UsageError(f"{file}: {key} is {value!r}", f"write {_TYPE_WORDS[kind]}")
        # A path in a file is meant from where the file is, not from where somebody happens to stand.
        found.setdefault(command, {})[parameter] = _from(file.parent, value) if key == "suite" else value
    return found


def _table(file: Path) -> Mapping[str, Any]:
    try:
        table: object = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} is not TOML: {error}", "mend the file") from None
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}", "mend its permissions") from None
    for name in ("tool", "triage-bot"):
        table = table.get(name, {}) if isinstance(table, dict) else table
    if not isinstance(table, dict):
        raise UsageError(f"{file}: [tool.triage-bot] is no table", "write its keys under the heading [tool.triage-bot]")
    return table


def _from(folder: Path, paths: list[str]) -> list[str]:
    return [path if folder == Path.cwd() else str(folder / path) for path in paths]


def _fits(value: object, kind: type) -> bool:
    if kind is list:
        return isinstance(value, list) and all(isinstance(entry, str) for entry in value)
    # True is an int to Python, and no count to anybody.
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))


def _nearest(key: str) -> str:
    near = difflib.get_close_matches(key, KEYS, n=1, cutoff=0.0)
    return f"did you mean {near[0]!r}? The keys are {', '.join(KEYS)}"
