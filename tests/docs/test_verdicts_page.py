"""The page of verdicts lists what there is, in the order of the code."""

from __future__ import annotations

import re

from tests.docs.pages import ROOT, first_cells, section, text
from triage_bot.core.arms import Arm
from triage_bot.core.evidence import Design
from triage_bot.core.findings import Grade, Reason, VerdictName
from triage_bot.core.stats import fisher_one_sided
from triage_bot.lab.probes import STALL_SECONDS
from triage_bot.workflows.remedy import FEWEST

PAGE = ROOT / "docs" / "verdicts.md"


def words(title: str) -> list[str]:
    return [cell.strip("`") for cell in first_cells(section(PAGE, title))]


def test_every_verdict_is_listed_and_no_other() -> None:
    assert words("The verdicts") == [verdict.value for verdict in VerdictName]


def test_every_grade_and_reason_is_listed_and_no_other() -> None:
    assert words("The grades") == [grade.value for grade in Grade]
    assert words("Reasons for no conclusion") == [reason.value for reason in Reason]


def test_every_arm_that_the_page_names_can_be_asked_for() -> None:
    rows = [line.split(" | ")[1].strip("`") for line in section(PAGE, "The arms").splitlines()[5:] if "|" in line]
    assert {str(Arm.parse(name)) for name in rows} == set(rows)
    assert len(rows) == 9


def test_the_numbers_are_the_ones_in_the_code() -> None:
    said = " ".join(text(PAGE).split())
    assert f"a stall of {1000 * STALL_SECONDS:g} ms" in said
    assert f"p ≤ {Design().alpha:g}" in said
    *some, last = Design().looks
    assert f"after {', '.join(map(str, some))} and {last} pairs" in said
    assert f"p = {fisher_one_sided(5, 5, 0, 5):.3f}" in said
    assert re.search(r"at least (\w+) trials under the amplifier", said)[1] == {4: "four", 5: "five"}[FEWEST]  # type: ignore[index]
