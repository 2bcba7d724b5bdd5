"""What is installed, and why."""

from __future__ import annotations

import re
import zipfile

import pytest
from hatchling.builders.wheel import WheelBuilder

import triage_bot
from tests.docs.pages import PAGES, ROOT, text

PYPROJECT = text(ROOT / "pyproject.toml")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    (path,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path_factory.mktemp("dist")), versions=["standard"])
    return zipfile.ZipFile(path)


def test_the_wheel_holds_both_packages_whole_with_their_data(wheel: zipfile.ZipFile) -> None:
    packages = [path for name in ("triage_bot", "kvrace_tests") for path in (ROOT / name).rglob("*")]
    sources = {
        path.relative_to(ROOT).as_posix()
        for path in packages
        if path.is_file() and path.suffix not in (".pyc", ".pyo") and "__pycache__" not in path.parts
    }
    assert {"triage_bot/core/signatures.toml", "kvrace_tests/conftest.py", "triage_bot/py.typed"} <= sources
    assert {name for name in wheel.namelist() if ".dist-info/" not in name} == sources


def test_the_wheel_brings_the_command_and_the_pytest_plugin(wheel: zipfile.ZipFile) -> None:
    (name,) = [name for name in wheel.namelist() if name.endswith("/entry_points.txt")]
    entry_points = wheel.read(name).decode()
    assert f"triage_bot-{triage_bot.__version__}.dist-info" in name
    assert "[console_scripts]\ntriage-bot = triage_bot.__main__:main" in entry_points
    assert "[pytest11]\ntriage-bot = triage_bot.pytest_plugin" in entry_points


def test_every_dependency_says_why_it_is_there() -> None:
    block = PYPROJECT.split("\ndependencies = [")[1].split("\n[project.scripts]")[0]
    lines = re.findall(r'^  "[A-Za-z].*$', block, re.MULTILINE)
    assert len(lines) > 20
    assert [line for line in lines if not re.search(r'",\s+# \w', line)] == []


def test_the_extras_that_the_pages_name_exist() -> None:
    extras = set(re.findall(r"^(\w+) = \[$", PYPROJECT.split("[project.optional-dependencies]")[1], re.MULTILINE))
    named = [re.findall(r"(?:'\.|triage-bot)\[([\w,]+)\]", text(page)) for page in PAGES]
    assert {extra for found in named for words in found for extra in words.split(",")} <= extras
