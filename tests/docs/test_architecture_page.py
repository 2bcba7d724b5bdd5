"""The page of the architecture shows the rooms and arrows that are enforced, and names only what exists."""

from __future__ import annotations

import re

from tests.docs.pages import ROOT, section, text
from tests.test_arrows import ARROWS

PAGE = ROOT / "docs" / "ARCHITECTURE.md"
_PREFIXES = (
    "",
    "triage_bot/",
    "kvrace_tests/",
    "triage_bot/core/",
    "triage_bot/adapters/",
    "triage_bot/lab/",
    "triage_bot/lab/torch_runtime/",
)


def test_the_rooms_and_their_arrows_are_the_ones_that_are_enforced() -> None:
    rows = [line.split(" | ") for line in section(PAGE, "Rooms and arrows").splitlines() if line.startswith("| `")]
    told = {name.strip("| `"): set(re.findall(r"`([a-z_]+)`", arrows)) for name, _, arrows in rows}
    assert told == ARROWS


def test_every_file_that_the_page_names_exists() -> None:
    before, difference = text(PAGE).split("\n## Where the tree differs")
    here = [row.split(" | ")[1] for row in difference.splitlines() if row.startswith("| ")]
    for name in re.findall(r"`([a-z_/]+(?:\.py|\.toml|/))`", before + "\n".join(here)):
        assert any((ROOT / prefix / name).exists() for prefix in _PREFIXES), name
