from __future__ import annotations

from triage_bot.lab.statements import statements

SOURCE = """\
@decorated
def test_it(tmp_path):
    first = call(
        1,
    )
    with stream() as s:
        inside = s
    for i in range(3):
        body(i)
        if i:
            more(i)
    try:
        risky()
    except ValueError:
        pass
    if first: short()
"""


def texts(*, deep: bool) -> list[str]:
    found = statements(SOURCE, 1, deep=deep)
    return [found[line].text for line in sorted(found)]


def test_a_statement_over_several_lines_is_one():
    found = statements(SOURCE, 1, deep=False)
    assert found[3] == found[4] == found[5]
    assert (found[3].first, found[3].last) == (3, 5)


def test_bodies_of_with_try_and_if_are_straight_line_code():
    found = statements(SOURCE, 1, deep=False)
    assert found[6].text == "with stream() as s:"
    assert found[7].text == "inside = s"
    assert found[13].text == "risky()"


def test_a_loop_is_one_statement():
    found = statements(SOURCE, 1, deep=False)
    assert {found[line] for line in (8, 9, 10, 11)} == {found[8]}


def test_deep_looks_into_loops():
    found = statements(SOURCE, 1, deep=True)
    assert [found[line].text for line in (8, 9, 10, 11)] == [
        "for i in range(3):",
        "body(i)",
        "if i:",
        "more(i)",
    ]


def test_a_body_on_the_line_of_its_head_takes_the_line():
    assert texts(deep=False)[-1] == "if first: short()"


def test_no_function_there_means_no_statements():
    assert statements(SOURCE, 5, deep=False) == {}


def test_source_that_does_not_parse_means_no_statements():
    assert statements("def f(:", 1, deep=False) == {}
