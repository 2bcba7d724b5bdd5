"""Text of unknown origin in a terminal."""

from __future__ import annotations

from triage_bot.adapters.plain import plain, visible


def test_no_control_character_reaches_the_terminal() -> None:
    assert plain("a\x1b[2Jb\r\nc\u202ed\ud800") == "a [2Jb c d"


def test_a_long_line_ends_in_an_ellipsis() -> None:
    assert plain("abcdef", 4) == "abc…"


def test_lines_stay_lines_where_there_are_several() -> None:
    assert visible("a\x1b[1m\n\n  b\x07\n" + "x" * 400) == "a [1m\n\n  b\n" + "x" * 400
