from __future__ import annotations

from textwrap import dedent

import pytest

from triage_bot.core.findings import Leaker, Witness
from triage_bot.core.remedy import propose, unified
from triage_bot.core.trials import Boundary, Residue, Site, StreamUse

FILE = "tests/test_store.py"
HELPER = dedent("""\
    def _drive(cache, ordered):
        compute = torch.cuda.Stream()
        wrong = 0
        for i in range(30):
            launch(compute, cache)
            wrong += check(cache, i)
        return wrong


    def test_store():
        cache = Cache()
        control = _drive(cache, False)
        fixed = _drive(cache, True)
        assert control and not fixed
    """)
INLINE = dedent("""\
    def test_store():
        compute = torch.cuda.Stream()
        for i in range(30):
            launch(compute)
            check(i)
        other = torch.cuda.Stream()
        for i in range(30):
            launch(other)
            check(i)
    """)


def witness(source: str, created: str, boundary: str, function: str = "f") -> Witness:
    """The lines are found by their text."""
    stripped = [line.strip() for line in source.splitlines()]
    stream = StreamUse("compute", Site(FILE, stripped.index(created) + 1, function), in_suite=True)
    site = Site(FILE, stripped.index(boundary) + 1, "test_store")
    return Witness(Leaker.TEST, Boundary(boundary, site, (Residue(stream, 0.7),)))


def added(source: str, seen: Witness) -> list[str]:
    """The lines that the proposal adds, each with the line after it."""
    patch = propose(seen, source)
    assert patch is not None
    lines = patch.source.splitlines()
    assert [line for line in lines if "synchronize" not in line] == source.splitlines()
    return [
        f"{line} | {after.strip()}"
        for line, after in zip(lines, [*lines[1:], ""], strict=True)
        if "synchronize" in line
    ]


def test_a_helper_waits_for_its_stream_before_it_returns() -> None:
    seen = witness(HELPER, "compute = torch.cuda.Stream()", "control = _drive(cache, False)")

    assert added(HELPER, seen) == ["    compute.synchronize() | return wrong"]


def test_a_phase_inside_the_test_is_waited_for_where_it_ends() -> None:
    seen = witness(INLINE, "compute = torch.cuda.Stream()", "for i in range(30):")

    assert added(INLINE, seen) == ["    compute.synchronize() | other = torch.cuda.Stream()"]


def test_a_test_that_leaves_work_to_the_next_one_waits_at_its_end() -> None:
    source = (
        "def test_fill():\n    compute = torch.cuda.Stream()\n    launch(compute)\n\n\ndef test_next():\n    check()\n"
    )
    seen = witness(source, "compute = torch.cuda.Stream()", "def test_fill():")
    left = Witness(seen.leaker, Boundary("call", seen.boundary.site, seen.boundary.residues))

    assert added(source, left) == ["    compute.synchronize() | "]


def test_every_way_out_of_a_helper_waits() -> None:
    source = HELPER.replace("    return wrong\n", "    if wrong:\n        return wrong\n    print('clean')\n", 1)
    seen = witness(source, "compute = torch.cuda.Stream()", "control = _drive(cache, False)")

    assert added(source, seen) == ["        compute.synchronize() | return wrong", "    compute.synchronize() | "]


def test_a_fixture_waits_before_it_hands_over() -> None:
    source = dedent("""\
        @pytest.fixture
        def filled():
            compute = torch.cuda.Stream()
            yield fill(compute)

        def test_store(filled):
            check(filled)
        """)
    seen = witness(source, "compute = torch.cuda.Stream()", "check(filled)")

    assert added(source, seen) == ["    compute.synchronize() | yield fill(compute)"]


def test_a_stream_made_in_a_loop_is_waited_for_in_each_turn() -> None:
    source = HELPER.replace("    compute = torch.cuda.Stream()\n", "").replace(
        "    launch", "    compute = torch.cuda.Stream()\n        launch"
    )
    seen = witness(source, "compute = torch.cuda.Stream()", "control = _drive(cache, False)")

    assert added(source, seen) == ["        compute.synchronize() | return wrong"]


def test_returns_of_inner_functions_are_left_alone() -> None:
    source = HELPER.replace("    wrong = 0\n", "    wrong = 0\n    def double(x):\n        return 2 * x\n")
    seen = witness(source, "compute = torch.cuda.Stream()", "control = _drive(cache, False)")

    assert added(source, seen) == ["    compute.synchronize() | return wrong"]


@pytest.mark.parametrize(
    "target",
    ["self.compute", "compute, other", "streams[0]", "one = compute"],
    ids=["attribute", "pair", "item", "two"],
)
def test_a_stream_that_no_plain_variable_holds_gets_no_proposal(target: str) -> None:
    source = HELPER.replace("compute = torch", f"{target} = torch")
    seen = witness(source, f"{target} = torch.cuda.Stream()", "control = _drive(cache, False)")

    assert propose(seen, source) is None


def test_a_text_that_does_not_parse_gets_no_proposal() -> None:
    seen = witness(HELPER, "compute = torch.cuda.Stream()", "control = _drive(cache, False)")

    assert propose(seen, HELPER + "def (") is None


def test_line_endings_and_a_missing_last_newline_are_kept() -> None:
    source = HELPER.split("\n\n\ndef test")[0].replace("    return wrong", "    print(wrong)").replace("\n", "\r\n")
    seen = witness(source, "compute = torch.cuda.Stream()", "print(wrong)")
    elsewhere = Witness(seen.leaker, Boundary("x", Site("other.py", 1), seen.boundary.residues))

    patch = propose(elsewhere, source)

    assert patch is not None
    assert patch.source == source + "\r\n    compute.synchronize()\r\n"


def test_the_change_reads_as_a_unified_diff() -> None:
    patch = propose(witness(HELPER, "compute = torch.cuda.Stream()", "control = _drive(cache, False)"), HELPER)

    assert patch is not None
    assert unified(FILE, HELPER, patch.source).splitlines()[:4] == [
        f"--- a/{FILE}",
        f"+++ b/{FILE}",
        "@@ -4,6 +4,7 @@",
        "     for i in range(30):",
    ]
