from __future__ import annotations

import pytest

from tests.samples import SHA, TEST
from triage_bot.core.commands import Accept, Help, Ignored, Refused, Rerun, Review, match_test, parse


@pytest.mark.parametrize(
    ("body", "command"),
    [
        ("/triage rerun", Rerun()),
        ("/triage rerun test_x", Rerun("test_x")),
        ("/triage rerun -n 10 test_x", Rerun("test_x", 10)),
        (f"/triage rerun --sha {SHA}", Rerun(sha=SHA)),
        (f"/triage rerun --sha {SHA} test_x -n 5", Rerun("test_x", 5, SHA)),
        ("/triage rerun `tests/a.py::test_x[a b]` -n 5", Rerun("tests/a.py::test_x[a b]", 5)),
        ("/triage rerun test_x[$(reboot);`id`]", Rerun("test_x[$(reboot);`id`]")),
        ("/triage review", Review()),
        ("/triage accept test_x it is known", Accept("test_x", "it is known")),
        ("/triage accept `t.py::x[a b]` known", Accept("t.py::x[a b]", "known")),
        ("/triage help", Help()),
        ("/triage", Help()),
        ("/triage review\nand a second line", Review()),
        ("/triage review\r\n\r\nthanks", Review()),
    ],
)
def test_the_first_line_is_a_command(body: str, command: object) -> None:
    assert parse(body) == command


@pytest.mark.parametrize(
    "body",
    [
        "",
        "please /triage rerun",
        "> /triage rerun",
        "```\n/triage rerun\n```",
        "    /triage rerun",
        " /triage rerun",
        "\n/triage rerun",
        "/triagebot rerun",
        "/Triage rerun",
        "<!-- \n/triage rerun",
    ],
)
def test_talk_is_ignored(body: str) -> None:
    assert isinstance(parse(body), Ignored)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("/triage dance", "no such command"),
        ("/triage rerun --sha 1f1f1f1f", "all 40 digits"),
        (f"/triage rerun --sha {SHA.upper()}", "all 40 digits"),
        ("/triage rerun --sha", "all 40 digits"),
        ("/triage rerun -n 0", "from 1 to 200"),
        ("/triage rerun -n 100000", "from 1 to 200"),
        ("/triage rerun -n", "from 1 to 200"),
        ("/triage rerun --junit=/etc/passwd", "neither `-` nor `@`"),
        ("/triage rerun @reports.txt", "neither `-` nor `@`"),
        ("/triage rerun one two", "one test"),
        ("/triage accept", "a test and a reason"),
        ("/triage accept test_x", "a reason"),
        ("/triage review now", "nothing after it"),
        ("/triage rerun a\x00b", "control characters"),
    ],
)
def test_a_command_that_cannot_be_done_says_why(body: str, reason: str) -> None:
    refused = parse(body)
    assert isinstance(refused, Refused)
    assert reason in refused.reason


KNOWN = [TEST, "tests/a.py::test_x[1]", "tests/a.py::test_x[12]", "tests/b.py::test_x[1]", "tests/c.py::test_y"]


@pytest.mark.parametrize(
    ("name", "test"),
    [
        (TEST, TEST),
        ("test_store_orders_after_compute_write", TEST),
        ("test_y", "tests/c.py::test_y"),
        ("test_x[12", "tests/a.py::test_x[12]"),
        ("tests/b.py", "tests/b.py::test_x[1]"),
    ],
)
def test_a_part_that_no_other_test_has_is_enough(name: str, test: str) -> None:
    assert match_test(name, KNOWN) == test


@pytest.mark.parametrize("name", ["test_x", "test_x[1]", "nope", "-k", "@file", "test_y; reboot", "test_y\nx"])
def test_what_names_no_test_or_several_is_refused(name: str) -> None:
    assert isinstance(match_test(name, KNOWN), Refused)
