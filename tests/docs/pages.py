"""The pages of the project, as the tests of the documentation read them."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])


def text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def section(page: Path, title: str) -> str:
    """What stands under a heading of the second level."""
    return text(page).split(f"\n## {title}\n")[1].split("\n## ")[0]


def first_cells(table: str) -> list[str]:
    """The first column of the first table in a text, without its head."""
    rows = [line.split(" | ")[0].removeprefix("| ").strip() for line in table.splitlines() if line.startswith("|")]
    return rows[2:]


def prose(page: Path) -> str:
    """A page without its code."""
    return re.sub(r"`[^`\n]+`", "", re.sub(r"^(\s*>? ?)```.*?^\1```", "", text(page), flags=re.DOTALL | re.MULTILINE))
