"""Verdicts as people read them, and the labels that tell them apart in a list of pull requests."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from triage_bot.core.findings import Finding, VerdictName

PREFIX = "triage: "
"""Only labels that begin so are ours."""


@dataclass(frozen=True)
class Label:
    """A label as it is created where it is missing."""

    name: str
    color: str
    """Six hexadecimal digits."""
    description: str


NAMES = {
    VerdictName.CROSS_PHASE_CONTAMINATION: "cross-phase contamination",
    VerdictName.ORDERING_BUG: "ordering bug",
    VerdictName.TIME_SENSITIVE: "time-sensitive",
    VerdictName.BROKEN: "broken",
    VerdictName.CROSS_TEST_CONTAMINATION: "cross-test contamination",
    VerdictName.ORDER_DEPENDENT: "order-dependent",
    VerdictName.VACUOUS_CONTROL: "vacuous control",
    VerdictName.INFRASTRUCTURE: "infrastructure",
    VerdictName.FLAKY: "flaky",
    VerdictName.NOT_REPRODUCED: "not reproduced",
    VerdictName.INCONCLUSIVE: "inconclusive",
}
"""One readable name a verdict."""

_LOOKS = {
    VerdictName.CROSS_PHASE_CONTAMINATION: ("0e8a16", "A phase of a test leaves device work that runs in the next one"),
    VerdictName.ORDERING_BUG: ("b60205", "A race inside one phase: the code under test lacks an ordering edge"),
    VerdictName.TIME_SENSITIVE: ("fbca04", "Fails when the host is slow; device concurrency is not needed"),
    VerdictName.BROKEN: ("b60205", "Fails in every arm of the experiment"),
    VerdictName.CROSS_TEST_CONTAMINATION: ("0e8a16", "An earlier test leaves device work that runs in this one"),
    VerdictName.ORDER_DEPENDENT: ("fbca04", "Fails only after another test: state, not device work"),
    VerdictName.VACUOUS_CONTROL: ("fbca04", "The control phase never raced, so the test proved nothing"),
    VerdictName.INFRASTRUCTURE: ("5319e7", "The machine failed, not the test"),
    VerdictName.FLAKY: ("fbca04", "Fails sometimes, and no arm of the experiment moves it"),
    VerdictName.INCONCLUSIVE: ("c5def5", "The experiment could not decide"),
}
"""Colour and description; a verdict that is absent here has no label."""


def labels(findings: Collection[Finding]) -> Sequence[Label]:
    """The labels of these findings, whatever their grade, in the order of the verdicts."""
    seen = {finding.verdict for finding in findings}
    return [Label(PREFIX + NAMES[verdict], *look) for verdict, look in _LOOKS.items() if verdict in seen]
