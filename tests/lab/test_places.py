"""Where a test is: the statement of a line, told relative to the suite's root."""

from __future__ import annotations

from importlib import util
from pathlib import Path

from triage_bot.core.trials import Site
from triage_bot.lab.places import Places
from triage_bot.lab.suite import SuiteFiles

SOURCE = """
def test_two():
    first = drive(
        1,
    )
    if first:
        drive(2)

def other():
    pass
"""


def test_a_line_of_a_watched_function_is_its_whole_statement(tmp_path: Path) -> None:
    file = tmp_path / "test_places_here.py"
    file.write_text(SOURCE)
    spec = util.spec_from_file_location("test_places_here", file)
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    watched, other = module.test_two.__code__, module.other.__code__
    places = Places([watched], SuiteFiles(tmp_path, {file}), deep=False)
    assert places.at(watched, 3) == places.at(watched, 4)
    assert places.at(watched, 7) != places.at(watched, 3)
    assert places.at(other, 10) is None
    assert places.site(watched, 7) == Site("test_places_here.py", 7, "test_two")
