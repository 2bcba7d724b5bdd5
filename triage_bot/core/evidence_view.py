"""What stands behind one finding, as Markdown: the trials, the leftover work, the tried fix, how to repeat it."""

from __future__ import annotations

import shlex

from triage_bot.core import markdown
from triage_bot.core.findings import ArmTally, Finding, Leaker, Remedy, Witness

MAX_ARMS = 30
"""Rows of the table."""
MAX_STREAMS = 8
"""Bars of the picture; the slowest stay."""
MAX_DIFF = 6_000
"""Characters of a diff; a longer one is named, not shown."""


def evidence(finding: Finding, shown: str = "") -> str:
    """Everything that a doubter needs, in blocks. A failure whose text is ``shown`` already is not repeated."""
    failure = _failure_text(finding)
    blocks = [
        markdown.fence(failure) if failure and failure != shown else "",
        _table(finding.arms),
        _numbers(finding),
        f"**Polluter** {markdown.code(finding.polluter)}" if finding.polluter else "",
        _leftover(finding.witness) if finding.witness else "",
        _fix(finding.remedy) if finding.remedy else "",
        # Without a trial there is no experiment that a command could repeat.
        f"**Repeat it**\n\n{markdown.fence(repeat_command(finding), 'sh')}" if finding.arms else "",
    ]
    return "\n\n".join(block for block in blocks if block)


def repeat_command(finding: Finding) -> str:
    """The command line that runs this experiment again, quoted for a shell."""
    test = markdown.clean(finding.test)
    suite = f" --suite {shlex.quote(test.split('::')[0])}" if "::" in test else ""
    return f"triage-bot rerun --test {shlex.quote(test)}{suite}"


def gantt(witness: Witness) -> str:
    """The leftover work as a Mermaid chart: how long each stream went on after the phase was over."""
    longest = sorted(witness.boundary.residues, key=lambda residue: -residue.seconds)[:MAX_STREAMS]
    bars = [
        (markdown.label(it.stream.name, 24), _duration(it.seconds), max(1, round(it.seconds * 1000))) for it in longest
    ]
    span = max((end for _, _, end in bars), default=1)
    # Wide enough for the names, few enough marks for a phone.
    padding = 30 + 7 * max((len(name) for name, _, _ in bars), default=0)
    tick = next((step for step in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000) if 4 * step >= span), span // 4)
    lines = [
        f'%%{{init: {{"gantt": {{"leftPadding": {padding}}}}}}}%%',
        "gantt",
        "  dateFormat x",
        f"  axisFormat {'%L ms' if span < 1_000 else '%S.%L s'}",
        f"  tickInterval {tick}millisecond",
        "  section host",
        "  phase ends : milestone, 0, 0",
    ]
    for name, duration, end in bars:
        lines += [f"  section {name}", f"  left over {markdown.label(duration)} : crit, 0, {end}"]
    return markdown.fence("\n".join(lines), "mermaid")


def _failure_text(finding: Finding) -> str:
    if finding.failure is None:
        return ""
    kind = f"{finding.failure.type}: " if finding.failure.type else ""
    return markdown.clip(f"{kind}{finding.failure.message}", 1_000)


def _table(tallies: tuple[ArmTally, ...]) -> str:
    if not tallies:
        return ""
    otherwise = any(tally.failed_otherwise for tally in tallies)
    rows = ["| arm | runs | failed |", "|:--|--:|--:|"]
    if otherwise:
        rows = ["| arm | runs | failed | failed otherwise |", "|:--|--:|--:|--:|"]
    for tally in tallies[:MAX_ARMS]:
        extra = f" {tally.failed_otherwise} |" if otherwise else ""
        rows.append(f"| {markdown.cell(str(tally.arm))} | {tally.runs} | {tally.failed} |{extra}")
    if len(tallies) > MAX_ARMS:
        rows.append(f"\n{len(tallies) - MAX_ARMS} more arms are in `triage.json`.")
    return "\n".join(rows)


def _numbers(finding: Finding) -> str:
    facts = []
    if finding.p_value is not None:
        facts.append(f"p = {finding.p_value:.2g} between the arms")
    if finding.rate is not None:
        low, high = (f"{100 * end:.3g}" for end in finding.rate)
        facts.append(f"by itself it fails in {low} to {high} % of runs (95 % interval)")
    return f"<sub>{' · '.join(facts)}</sub>" if facts else ""


def _leftover(witness: Witness) -> str:
    site = markdown.code(f"{witness.boundary.site.file}:{witness.boundary.site.line}")
    owner = "the test" if witness.leaker is Leaker.TEST else "the code under test"
    lines = [f"**Left over** when {markdown.code(witness.boundary.statement, 120)} ended ({site}), by {owner}:", ""]
    for residue in sorted(witness.boundary.residues, key=lambda residue: -residue.seconds)[:MAX_STREAMS]:
        created = residue.stream.created
        where = f", created at {markdown.code(f'{created.file}:{created.line}')}" if created else ""
        lines.append(f"- {_duration(residue.seconds)} on {markdown.code(residue.stream.name, 60)}{where}")
    return "\n".join(lines) + f"\n\n{gantt(witness)}"


def _fix(remedy: Remedy) -> str:
    tried = f"{remedy.tried.failed} of {remedy.tried.runs} failed under {markdown.code(str(remedy.tried.arm))}"
    if len(remedy.diff) > MAX_DIFF:
        return f"**Fix**, tried ({tried}): too long to show; see `triage.json`, {markdown.code(remedy.file)}"
    return f"**Fix**, tried ({tried}):\n\n{markdown.fence(remedy.diff, 'diff')}"


def _duration(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds >= 1 else f"{seconds * 1000:.3g} ms"
