"""A pull-request review: what was found, and each tried fix as a suggestion where the pull request shows its lines."""

from __future__ import annotations

from collections.abc import Sequence

from triage_bot.core import markdown
from triage_bot.core.findings import Finding, Remedy, Triage
from triage_bot.core.fit import Group, Section, fit
from triage_bot.core.host import ChangedFile, Pull, Review
from triage_bot.core.labels import NAMES
from triage_bot.core.publication import CreateReview
from triage_bot.core.standing import cases
from triage_bot.core.suggestions import Suggestion, suggestions

MARKER = "<!-- triage-bot-review v1 -->"
LIMIT = 65_536
MOST_SUGGESTIONS = 20


def review(
    pull: Pull, triages: Sequence[Triage], files: Sequence[ChangedFile], earlier: Sequence[Review], author: str
) -> CreateReview | None:
    """The review; None when nothing was found, or when we have said exactly this before."""
    findings = [case.finding for case in cases(triages)]
    offered: list[Suggestion] = []
    sections = []
    for finding in findings:
        fixes = suggestions(finding.remedy, files, finding.test) if finding.remedy else ()
        taken = [fix for fix in fixes if not any(_overlap(fix, other) for other in offered)]
        if len(taken) < len(fixes) or len(offered) + len(fixes) > MOST_SUGGESTIONS:
            fixes = ()
        offered += fixes
        sections.append(_section(finding, bool(fixes)))
    if not sections:
        return None
    head = f"{MARKER}\nAt {markdown.code(pull.head_sha[:12])}, by experiment:"
    body = fit(head, [Group(f"Findings ({len(sections):,})", sections)], "", LIMIT).rstrip() + "\n"
    if any(past.author == author and past.body.strip() == body.strip() for past in earlier):
        return None
    return CreateReview(pull.number, pull.head_sha, body, tuple(offered))


def suggestion_body(suggestion: Suggestion) -> str:
    """The text of one suggestion, with its button."""
    block = markdown.fence("\n".join(suggestion.lines) + "\n", "suggestion")
    return f"Tried, and {markdown.code(suggestion.test)} no longer failed alike:\n\n{block}\n"


def _section(finding: Finding, suggested: bool) -> Section:
    title = f"**{NAMES[finding.verdict]}** · {finding.grade.value} · {markdown.code(finding.test)}"
    return Section(lambda: f"{title}  \n{markdown.prose(finding.why)}{_fix(finding.remedy, suggested)}", title)


def _fix(remedy: Remedy | None, suggested: bool) -> str:
    if remedy is None:
        return ""
    tried = f"A fix was tried ({remedy.tried.failed} of {remedy.tried.runs} trials failed with it)"
    if suggested:
        return f"  \n{tried}; it is suggested below."
    diff = markdown.fence(markdown.clip(remedy.diff, 6_000), "diff")
    return f"  \n{tried}; its lines are not part of this pull request's diff:\n\n{diff}"


def _overlap(one: Suggestion, other: Suggestion) -> bool:
    return one.path == other.path and one.start <= other.end and other.start <= one.end
