"""The check run: what a pull request's list of checks says, with an annotation at each place to look at."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from triage_bot.core import markdown
from triage_bot.core.findings import Finding, Triage
from triage_bot.core.labels import NAMES
from triage_bot.core.report import Origin, comment, headline
from triage_bot.core.standing import Acceptance, Case, Conclusion, Standing, cases, conclusion

NAME = "triage"
SUMMARY = 65_535
"""Longest summary that GitHub takes, in characters."""
MAX_ANNOTATIONS = 100
"""Two requests' worth; the comment holds the rest."""


@dataclass(frozen=True)
class Annotation:
    """A note at a line of a file."""

    path: str
    """Relative to the repository."""
    line: int
    level: str
    """``notice`` or ``failure``."""
    title: str
    message: str


@dataclass(frozen=True)
class CheckRun:
    """A completed check run on a commit."""

    sha: str
    conclusion: Conclusion
    title: str
    summary: str
    annotations: tuple[Annotation, ...]

    @property
    def external_id(self) -> str:
        """Equal for equal content, so that nothing is written twice."""
        content = (self.sha, self.conclusion.value, self.title, self.summary, self.annotations)
        return "triage-bot:" + hashlib.sha256(repr(content).encode("utf-8", "replace")).hexdigest()[:32]


def check_run(triages: Sequence[Triage], acceptances: Sequence[Acceptance], origin: Origin) -> CheckRun:
    """The check run of a result."""
    found = cases(triages, acceptances)
    text = comment(*triages, acceptances=acceptances, origin=origin, limit=SUMMARY)
    places = [note for note in (_annotation(case) for case in found) if note]
    return CheckRun(
        sha=origin.marker.sha,
        conclusion=conclusion(triages, acceptances),
        title=headline(triages, found),
        summary=text.partition("\n")[2],
        annotations=tuple(places[:MAX_ANNOTATIONS]),
    )


def _annotation(case: Case) -> Annotation | None:
    finding = case.finding
    path, line = _place(finding)
    if not path or PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
        return None
    return Annotation(
        path=markdown.clean(path),
        line=max(1, line),
        level="failure" if case.standing is Standing.NEEDS_YOU else "notice",
        title=markdown.clip(f"{NAMES[finding.verdict]}, {finding.grade.value}", 255),
        message=markdown.clip(f"{markdown.clean(finding.test)}: {markdown.clean(finding.why)}", 2_000),
    )


def _place(finding: Finding) -> tuple[str, int]:
    if finding.witness is not None:
        return finding.witness.boundary.site.file, finding.witness.boundary.site.line
    if finding.failure is not None and finding.failure.file:
        return finding.failure.file, finding.failure.line
    return (finding.test.split("::")[0], 1) if "::" in finding.test else ("", 0)
