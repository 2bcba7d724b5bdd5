"""Findings to the comment on a pull request: verdict first, one line a finding, evidence folded, never too long.

What does not fit is left out in whole sections, and counted. Equal inputs give equal text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from triage_bot.core import markdown
from triage_bot.core.evidence_view import evidence
from triage_bot.core.findings import Finding, Reason, Triage
from triage_bot.core.fit import Group, Section, fit
from triage_bot.core.labels import NAMES
from triage_bot.core.marker import Marker
from triage_bot.core.reports import add_up
from triage_bot.core.standing import Acceptance, Case, Standing, cases, mass_failure, untriaged

LIMIT = 65_536
"""Longest comment that GitHub takes, in characters."""
MASS_SAMPLE = 10
"""Names shown of a mass failure."""


@dataclass(frozen=True)
class Origin:
    """Where the result comes from, as the code host tells it."""

    marker: Marker
    run_url: str


def comment(
    *triages: Triage, acceptances: Sequence[Acceptance] = (), origin: Origin | None = None, limit: int = LIMIT
) -> str:
    """The comment on the results of one run, one triage a job. Without an origin it carries no marker and no links."""
    found = cases(triages, acceptances)
    head = [str(origin.marker)] if origin else []
    head += [f"## {headline(triages, found)}", "", _facts(triages, origin)]
    foot = "<sub>`/triage help` lists what a maintainer can ask for.</sub>"
    return fit("\n".join(head), _groups(triages, found, origin), foot, limit)


def headline(triages: Sequence[Triage], found: Sequence[Case]) -> str:
    """The verdict on the whole run, in one line."""
    count = {standing: sum(case.standing is standing for case in found) for standing in Standing}
    missing, total = untriaged(triages), add_up([triage.summary for triage in triages])
    if mass_failure(triages):
        return f"❌ {total.failed + total.errored:,} of {total.tests:,} tests failed together: one event"
    if not found:
        return _quiet_headline(triages, missing)
    failures = len(found) - count[Standing.LATENT] + missing
    needs = count[Standing.NEEDS_YOU] + missing
    parts = [(needs, "needs you" if needs == 1 else "need you")]
    parts += [(count[Standing.EXPLAINED], "explained"), (count[Standing.ACCEPTED], "accepted")]
    said = [word if number == failures == 1 else f"{number:,} {word}" for number, word in parts if number]
    said += [f"{count[Standing.LATENT]:,} latent"] if count[Standing.LATENT] else []
    if not failures:
        return f"🟡 Nothing failed; {said[0]}: only an amplifier shows it"
    sign, end = ("❌", "") if needs else ("✅", " Nothing needs you.")
    return f"{sign} {_count(failures, 'failure')}: {', '.join(said)}.{end}"


def _quiet_headline(triages: Sequence[Triage], missing: int) -> str:
    if missing:
        return f"❌ {_count(missing, 'failure')}, not triaged"
    if not all(triage.complete for triage in triages):
        return "❌ The run did not finish"
    flaky = sum(triage.summary.flaky for triage in triages)
    if flaky:
        return f"🟡 Green, but {_count(flaky, 'test')} passed only when tried again"
    return "✅ Nothing failed"


def _facts(triages: Sequence[Triage], origin: Origin | None) -> str:
    total = add_up([triage.summary for triage in triages])
    words = [(total.passed, "passed"), (total.failed, "failed"), (total.errored, "errors")]
    words += [(total.flaky, "passed on retry"), (total.skipped, "skipped"), (total.not_run, "not run")]
    facts = [f"{number:,} {word}" for number, word in words if number]
    devices = sorted({triage.environment.device or triage.environment.runtime for triage in triages} - {""})
    facts += [markdown.prose(device, 80) for device in devices[:4]]
    if origin:
        facts += [f"[run]({origin.run_url})", f"`{origin.marker.sha[:12]}`"]
    return " · ".join(facts)


def _groups(triages: Sequence[Triage], found: Sequence[Case], origin: Origin | None) -> list[Group]:
    mass = [case for case in found if _of_mass(case)]
    rest = [case for case in found if not _of_mass(case)]
    titles = {
        Standing.NEEDS_YOU: "Needs you",
        Standing.LATENT: "Latent: real, and not yet biting",
        Standing.EXPLAINED: "Explained",
        Standing.ACCEPTED: f"Accepted at {origin.marker.sha[:12]} only" if origin else "Accepted",
    }
    groups = [Group("What happened", [_mass_section(mass)])] if mass else []
    for standing, title in titles.items():
        sections = [_section(case) for case in rest if case.standing is standing]
        groups.append(Group(f"{title} ({len(sections):,})", sections))
    groups.append(Group("About the report", [_report_section(triages)] if _odd(triages) else []))
    return [group for group in groups if group.sections]


def _of_mass(case: Case) -> bool:
    return case.finding.reason is Reason.MASS_FAILURE and case.standing is Standing.NEEDS_YOU


def _section(case: Case) -> Section:
    finding = case.finding
    name = NAMES[finding.verdict]
    reason = f" ({finding.reason.value.replace('-', ' ')})" if finding.reason else ""
    job = f" in {markdown.code(case.job, 60)}" if case.job else ""
    title = f"**{name}**{reason} · {finding.grade.value} · {markdown.code(finding.test)}{job}"
    if case.standing in (Standing.NEEDS_YOU, Standing.LATENT):
        message = _message(finding)
        lines = [title, markdown.prose(finding.why), markdown.code(message, 200) if message else ""]
        brief = "  \n".join(line for line in lines if line)
        return Section(lambda: _open(brief, evidence(finding, message)), brief)
    word = _word(case)
    return Section(lambda: _folded(case, word), "  \n".join(line for line in [title, word] if line))


def _open(brief: str, proof: str) -> str:
    return f"{brief}\n\n{_details('Evidence', proof)}" if proof else brief


def _folded(case: Case, word: str) -> str:
    finding = case.finding
    summary = f"{NAMES[finding.verdict]} · {finding.grade.value} · {markdown.html_code(finding.test)}"
    body = [word, markdown.prose(finding.why), evidence(finding)]
    return _details(summary, "\n\n".join(part for part in body if part))


def _word(case: Case) -> str:
    if case.acceptance is None:
        return ""
    return f"Accepted by {markdown.code(case.acceptance.login, 60)}: {markdown.prose(case.acceptance.reason, 300)}"


def _message(finding: Finding) -> str:
    if finding.failure is None:
        return ""
    first = next((line for line in finding.failure.message.splitlines() if line.strip()), "")
    return f"{finding.failure.type}: {first}" if finding.failure.type else first


def _mass_section(mass: Sequence[Case]) -> Section:
    names = [f"- {markdown.code(case.finding.test)}" for case in mass[:MASS_SAMPLE]]
    more = [f"- and {len(mass) - MASS_SAMPLE:,} more"] if len(mass) > MASS_SAMPLE else []
    brief = markdown.prose(mass[0].finding.why)
    folded = _details(_count(len(mass), "test"), "\n".join(names + more))
    return Section(lambda: f"{brief}\n\n{folded}", brief)


def _odd(triages: Sequence[Triage]) -> bool:
    return untriaged(triages) > 0 or any(not triage.complete or triage.problems for triage in triages)


def _report_section(triages: Sequence[Triage]) -> Section:
    lines = []
    if not all(triage.complete for triage in triages):
        lines.append("A report ends before its run did, so what is missing here may have failed.")
    if untriaged(triages):
        lines.append(f"{_count(untriaged(triages), 'failure')} of the reports had no experiment.")
    brief = " ".join(lines)
    problems = [problem for triage in triages for problem in triage.problems]
    shown = [f"- {markdown.code(problem.kind, 60)} {markdown.prose(problem.detail, 300)}" for problem in problems[:20]]
    if len(problems) > 20:
        shown.append(f"- and {len(problems) - 20} more")
    folded = (
        _details(f"{_count(len(problems), 'oddity', 'oddities')} in the reports", "\n".join(shown)) if shown else ""
    )
    return Section(lambda: "\n\n".join(part for part in (brief, folded) if part), brief)


def _details(summary: str, body: str) -> str:
    return f"<details><summary>{summary}</summary>\n\n{body}\n\n</details>"


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"
