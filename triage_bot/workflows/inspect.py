"""What the reports say: read them, show them, and fail for those that could not be read."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from triage_bot.core.reports import ABSENT, Report
from triage_bot.errors import UnreadableInputError


def inspect(
    paths: Sequence[str], read: Callable[[Sequence[str]], Sequence[Report]], show: Callable[[Sequence[Report]], None]
) -> None:
    """Show every report, then raise ``UnreadableInputError`` if one was absent or refused."""
    reports = read(paths)
    show(reports)
    for report in reports:
        if (problem := report.unread) is not None:
            raise UnreadableInputError(f"{report.path} was not read: {problem.detail}", _ADVICE[problem.kind == ABSENT])


_ADVICE = {
    True: "Look at the log of the job that should have written it; a report that is not there never means 0 failures.",
    False: "Have the test runner write the report again; what could be read of the other files is shown.",
}
