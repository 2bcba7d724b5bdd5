"""From report ids to node ids: the one test that is meant, or why none can be told."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from triage_bot.core.resolve import Resolver, Unresolved, reported
from triage_bot.core.results import TestId

SUITE = [
    "tests/gpu/test_copy.py::test_a",
    "tests/gpu/test_copy.py::TestB::test_a",
    "tests/gpu/test_copy.py::TestB::TestC::test_a[x::y/z-[1]]",
    "tests/cpu/test_copy.py::test_only_here",
    "tests/cpu/test_sum.py::test_only_here",
]


@pytest.mark.parametrize(
    ("classname", "name", "node_id"),
    [
        ("tests.gpu.test_copy", "test_a", SUITE[0]),
        ("tests.gpu.test_copy.TestB", "test_a", SUITE[1]),
        ("tests.gpu.test_copy.TestB.TestC", "test_a[x::y/z-[1]]", SUITE[2]),
        ("gpu.test_copy", "test_a", SUITE[0]),
        ("repo.tests.gpu.test_copy", "test_a", SUITE[0]),
        ("TestB", "test_a", SUITE[1]),
        ("", "tests/gpu/test_copy.py::test_a", SUITE[0]),
        ("tests/gpu/test_copy.py", "test_a", SUITE[0]),
    ],
)
def test_the_test_that_is_meant_is_found(classname: str, name: str, node_id: str) -> None:
    assert Resolver(SUITE).resolve(TestId(classname, name)) == node_id


@pytest.mark.parametrize(
    ("classname", "name", "reason"),
    [
        ("tests.gpu.test_copy", "test_gone", "no test called test_gone"),
        ("tests.gpu.test_other", "test_a", "lies where tests.gpu.test_other points"),
        ("", "test_only_here", "2 tests of the suite may be meant"),
        ("tests.gpu.test_copy", "", "gives no name"),
        ("est_copy", "test_a", "lies where"),
    ],
)
def test_what_cannot_be_told_says_why(classname: str, name: str, reason: str) -> None:
    told = Resolver(SUITE).resolve(TestId(classname, name))
    assert isinstance(told, Unresolved)
    assert reason in told.reason


def test_the_file_that_xunit1_names_tells_a_module_from_a_class() -> None:
    resolver = Resolver(["a/b.py::test_x", "a.py::b::test_x"])
    assert isinstance(resolver.resolve(TestId("a.b", "test_x")), Unresolved)
    assert resolver.resolve(TestId("a.b", "test_x"), "a/b.py") == "a/b.py::test_x"
    assert resolver.resolve(TestId("a.b", "test_x"), "a.py") == "a.py::b::test_x"


CONFTEST = """
import json, pathlib
def pytest_collection_modifyitems(items):
    pathlib.Path("ids.json").write_text(json.dumps([item.nodeid for item in items]))
"""
TESTS = r"""
import pytest
@pytest.mark.parametrize("v", ["a/b", "a::b", "x[y]", "sp ace", "n\xe9", "\x1b[31mred", "\x00", "back\\slash"])
def test_p(v): pass
class TestA:
    class TestB:
        def test_m(self): pass
"""


@pytest.mark.parametrize("family", ["xunit1", "xunit2"])
def test_every_id_that_pytest_writes_leads_back_to_its_test(tmp_path: Path, family: str) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "test_ids.py").write_text(TESTS, encoding="utf-8")
    options = ["-q", "-p", "no:cacheprovider", "--junitxml=r.xml", "-o", f"junit_family={family}", "--rootdir=."]
    subprocess.run(
        [sys.executable, "-m", "pytest", *options], cwd=tmp_path, check=True, capture_output=True, timeout=60
    )
    node_ids = json.loads((tmp_path / "ids.json").read_text())
    cases = [case.attrib for case in ElementTree.parse(tmp_path / "r.xml").iter("testcase")]
    resolver = Resolver(node_ids)
    assert [resolver.resolve(TestId(case["classname"], case["name"])) for case in cases] == node_ids
    assert [reported(node_id) for node_id in node_ids] == [(case["classname"], case["name"]) for case in cases]
