from __future__ import annotations

from typing import cast

import pytest

from kvrace_tests.harness import choice


class _Options:
    """The part of a pytest configuration that the choice reads."""

    def __init__(self, **given: str) -> None:
        self._given = given

    def getoption(self, name: str, default: object = None) -> object:
        return self._given.get(name, default)


def _emulated(**given: str) -> bool:
    return choice.emulated(cast(pytest.Config, _Options(**given)))


@pytest.fixture(autouse=True)
def no_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "DRIVER_FILES", ())


def test_auto_is_emulated_where_no_driver_is_loaded() -> None:
    assert _emulated(kvrace_runtime="auto")


def test_a_triage_tool_may_choose_where_the_suite_does_not() -> None:
    assert not _emulated(kvrace_runtime="auto", triage_runtime="cuda")
    assert _emulated(kvrace_runtime="auto", triage_runtime="emulated")


def test_the_word_of_the_suite_goes_first() -> None:
    assert _emulated(kvrace_runtime="emulated", triage_runtime="cuda")
    assert not _emulated(kvrace_runtime="cuda", triage_runtime="emulated")
