"""The page of commands and labels lists what there is, in the words of the code."""

from __future__ import annotations

from pathlib import Path

from triage_bot.core.commands import MOST_TRIALS, USAGE
from triage_bot.core.findings import Finding, Grade, VerdictName
from triage_bot.core.labels import labels

PAGE = (Path(__file__).parents[2] / "docs" / "commands.md").read_text(encoding="utf-8")


def rows(start: str) -> list[str]:
    """First cells of the table rows that begin so, without their code marks."""
    return [line.split("|")[1].strip().strip("`") for line in PAGE.splitlines() if line.startswith(f"| `{start}")]


def test_every_command_is_listed_and_no_other() -> None:
    assert rows("/triage") == list(USAGE)


def test_the_largest_number_of_trials_is_the_one_that_is_enforced() -> None:
    assert f"(1 to {MOST_TRIALS})" in PAGE


def test_every_label_is_listed_and_no_other() -> None:
    findings = [Finding("t", verdict, Grade.SUSPECTED, "", None, "", "", ()) for verdict in VerdictName]
    assert sorted(rows("triage: ")) == sorted(label.name for label in labels(findings))
