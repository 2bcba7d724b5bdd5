from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from kvrace_tests.conftest import pytest_addoption
from kvrace_tests.harness.detector import races
from kvrace_tests.harness.emulator import Emulator

PAGE = Path(__file__).parents[2] / "docs" / "write-a-race-test.md"


def _template() -> dict[str, Any]:
    (block,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, Any] = {}
    exec(compile(block, str(PAGE), "exec"), names)
    return names


def test_the_template_passes_under_many_seeds() -> None:
    test = _template()["test_next_owner_writes_after_store"]
    for seed in range(10):
        test(Emulator(str(seed)))


def test_the_template_races_without_its_edge_and_not_with_it() -> None:
    drive = _template()["drive"]
    for ordered in (False, True):
        device = Emulator("0")
        drive(device, ordered=ordered, first_tag=1)
        assert bool(races(device.run.trace.entries)) is not ordered
        assert device.idle()


def test_the_page_names_only_options_that_exist() -> None:
    class Group:
        def __init__(self) -> None:
            self.options: list[str] = []

        def getgroup(self, name: str) -> Group:
            return self

        def addoption(self, name: str, **_: object) -> None:
            self.options.append(name)

    group = Group()
    pytest_addoption(group)  # type: ignore[arg-type]  # it asks the parser for a group, and the group for options
    assert set(re.findall(r"--kvrace-[a-z]+", PAGE.read_text(encoding="utf-8"))) <= set(group.options)
