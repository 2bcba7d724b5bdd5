"""Where a triage is made, as the environment of GitHub Actions tells it; empty at a desk."""

from __future__ import annotations

from collections.abc import Mapping

from triage_bot.core.findings import Source


def source(environ: Mapping[str, str]) -> Source:
    """The source in ``environ``. A number that is not one counts as unknown."""
    return Source(
        repository=environ.get("GITHUB_REPOSITORY", ""),
        sha=environ.get("GITHUB_SHA", ""),
        run_id=_number(environ.get("GITHUB_RUN_ID", "")),
        run_attempt=_number(environ.get("GITHUB_RUN_ATTEMPT", "")),
        job=environ.get("GITHUB_JOB", ""),
        event=environ.get("GITHUB_EVENT_NAME", ""),
    )


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and text.isascii() else 0
