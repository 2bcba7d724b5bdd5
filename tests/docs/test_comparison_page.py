"""The comparison with other tools shows what the kept run of them showed."""

from __future__ import annotations

import json

from tests.docs.pages import ROOT, text

KEPT = ROOT / "benchmarks" / "results" / "cross_test_tools.json"


def test_the_table_is_the_kept_run() -> None:
    rows = [
        f"| {one['tool']} | {one['kind']} | {'named' if one['named'] else 'missed'} | {one['cause'] or '?'} "
        f"| {one['runs']} | {one['seconds']:.0f} |"
        for one in json.loads(text(KEPT))
    ]
    told = [line for line in text(ROOT / "docs" / "comparison.md").splitlines() if line.startswith("| ")]
    assert told[1:] == rows
