"""What ``inspect`` shows a person: what failed, what was retried, what never ran, what is odd."""

from __future__ import annotations

from collections.abc import Sequence

from triage_bot.core.reports import Report


def render(reports: Sequence[Report]) -> str:
    """The whole display as text."""
    blocks = [_file(report) for report in reports]
    return "\n\n".join(blocks)


def _file(report: Report) -> str:
    lines = [report.path + str(report.counts)]
    lines += [f"  FAILED {r.id}: {r.failure.message if r.failure else ''}" for r in report.failing]
    lines += [f"  ODD {p.kind}: {p.detail}" for p in report.problems]
    return "\n".join(lines)
