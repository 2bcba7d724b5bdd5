from __future__ import annotations

from triage_bot.core.selection import Ambiguous, Missing, select

IDS = ["a.py::test_store", "a.py::test_store_twice", "b.py::TestIt::test_load", "b.py::test_p[x::y]", "b.py::test_p[z]"]


def test_a_part_that_only_one_test_has_selects_it() -> None:
    assert select("load", IDS) == "b.py::TestIt::test_load"


def test_an_exact_name_beats_a_part_of_a_longer_one() -> None:
    assert select("test_store", IDS) == "a.py::test_store"


def test_a_node_id_selects_itself_with_its_parameters() -> None:
    assert select("b.py::test_p[x::y]", IDS) == "b.py::test_p[x::y]"


def test_a_part_that_several_tests_have_names_them_all() -> None:
    assert select("test_p", IDS) == Ambiguous(("b.py::test_p[x::y]", "b.py::test_p[z]"))


def test_a_name_that_no_test_has_names_near_ones() -> None:
    missing = select("a.py::test_stroe", IDS)
    assert isinstance(missing, Missing)
    assert missing.near[0] == "a.py::test_store"
