"""The wire format of ``inspect --json``: ``triage-bot/inspect-v1``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from triage_bot.core.reports import Report, add_up

SCHEMA = "triage-bot/inspect-v1"


def dump(reports: Sequence[Report]) -> str:
    """The document, without a line end."""
    document = {
        "schema": SCHEMA,
        "files": [_file(report) for report in reports],
        "total": asdict(add_up([report.counts for report in reports])),
    }
    return json.dumps(document, indent=2)


def _file(report: Report) -> dict[str, Any]:
    return {
        "path": report.path,
        "complete": report.complete,
        "counts": asdict(report.counts),
        "failing": [str(result.id) for result in report.failing],
        "flaky": [str(result.id) for result in report.flaky],
        "problems": [asdict(problem) for problem in report.problems],
    }
