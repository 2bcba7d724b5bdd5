"""Who may import whom. The rooms are described in docs/ARCHITECTURE.md."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
OURS = {"triage_bot", "kvrace_tests"}

ARROWS = {
    "triage_bot/core": set(),
    "triage_bot/errors.py": set(),
    "triage_bot/ports.py": {"core"},
    "triage_bot/workflows": {"core", "errors", "ports"},
    "triage_bot/lab": {"core", "errors", "ports"},
    "triage_bot/adapters": {"core", "errors"},
    "triage_bot/cli": {"adapters", "core", "errors", "lab", "workflows"},
    "triage_bot/__main__.py": {"cli", "errors"},
    "triage_bot/pytest_plugin.py": {"lab"},
    "kvrace_tests/offload": set(),
    "kvrace_tests/harness": {"offload"},
    "kvrace_tests/cases": {"offload"},
    "kvrace_tests/conftest.py": {"cases", "harness", "offload"},
    "kvrace_tests/specimen_support": {"harness", "offload"},
    "kvrace_tests/specimens": {"harness", "offload", "specimen_support"},
    "kvrace_tests/demo.py": set(),
}
"""Room to the rooms of the same package that it may import. None may import the other package."""

DOORS = {
    "_pytest": {"triage_bot/lab"},
    "click": {"triage_bot/cli", "triage_bot/__main__.py"},
    "cuda": {"kvrace_tests/harness/cuda"},
    "github": {"triage_bot/adapters/github.py"},
    "jinja2": {"triage_bot/adapters/html.py"},
    "junitparser": {"triage_bot/adapters/junit/writing.py"},
    "lxml": {"triage_bot/adapters/junit/writing.py"},
    "requests": {"triage_bot/adapters/download.py", "triage_bot/adapters/github.py"},
    "rich": {"triage_bot/adapters/terminal_rerun.py"},
    "scipy": {"triage_bot/core/stats.py"},
    "tomli": {"triage_bot/core/signatures.py", "triage_bot/adapters/config.py"},
    "torch": {
        "triage_bot/lab/torch_runtime",
        "kvrace_tests/harness/cuda",
        "kvrace_tests/specimen_support",
        "kvrace_tests/specimens/torch",
    },
    "triton": {"kvrace_tests/harness/cuda"},
}
"""Outside library to the places that may import it; pytest is the language of suite and lab."""

IMPURE = {
    "asyncio",
    "datetime",
    "logging",
    "multiprocessing",
    "os",
    "random",
    "socket",
    "subprocess",
    "threading",
    "time",
}
"""What core does without: clocks, chance, the environment, other processes."""


SINCE_3_11 = {"tomllib"}
"""Modules of the standard library that the oldest supported Python lacks."""


def files(*packages: str) -> list[str]:
    found = [path for package in packages for path in (ROOT / package).rglob("*.py")]
    return sorted(path.relative_to(ROOT).as_posix() for path in found)


def imports(file: str) -> Iterator[tuple[str, ...]]:
    """Every module that a file imports, wherever in it, as the parts of its name."""
    for node in ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: imports are absolute"
            names = [node.module or ""]
            if node.module in OURS:
                names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        yield from (tuple(name.split(".")) for name in names)


def room(file: str) -> str:
    return "/".join(file.split("/")[:2])


@pytest.mark.parametrize("package", sorted(OURS))
def test_every_file_belongs_to_a_room(package: str) -> None:
    homeless = {room(file) for file in files(package)} - set(ARROWS) - {f"{package}/__init__.py"}
    assert homeless == set()


@pytest.mark.parametrize("name", ARROWS)
def test_a_room_imports_only_what_it_may(name: str) -> None:
    package, _, own = name.removesuffix(".py").partition("/")
    for file in files(package):
        if room(file) != name:
            continue
        for imported in imports(file):
            if imported[0] not in OURS or imported == (package,):
                continue
            assert imported[0] == package, f"{file} imports {'.'.join(imported)}"
            assert imported[1] in {own, "__version__", *ARROWS[name]}, f"{file} imports {'.'.join(imported)}"


@pytest.mark.parametrize("library", DOORS)
def test_an_outside_library_has_its_doors(library: str) -> None:
    found = {file for file in files(*OURS) if any(imported[0] == library for imported in imports(file))}
    assert {file for file in found if not any(Path(file).is_relative_to(door) for door in DOORS[library])} == set()


def test_no_library_comes_in_without_a_door() -> None:
    known = {*sys.stdlib_module_names, *SINCE_3_11, *OURS, *DOORS, "pytest"}
    used = {imported[0] for file in files(*OURS) for imported in imports(file)}
    assert used - known == set()


def test_the_core_has_no_clock_no_chance_and_no_environment() -> None:
    for file in files("triage_bot/core"):
        assert {imported[0] for imported in imports(file)} & IMPURE == set(), file
