"""Putting a later experiment on one test over an earlier result of the whole suite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from triage_bot.core.findings import Counts, Finding, Triage
from triage_bot.core.marker import Marker

DEPTH = 8
"""How many runs a result may be put together from; older ones are forgotten."""


def chain(shown: Marker) -> tuple[int, ...]:
    """The runs that a later one adds to: the first, which read the whole suite's report, is never forgotten."""
    runs = (*shown.after, shown.run_id)
    return runs if len(runs) <= DEPTH else (runs[0], *runs[1 - DEPTH :])


def partial(triages: Sequence[Triage]) -> bool:
    """Whether these results tried single tests and read no report of a suite."""
    return bool(triages) and all(triage.summary == Counts() for triage in triages)


def overlay(base: Sequence[Triage], later: Sequence[Triage]) -> tuple[Triage, ...]:
    """The base with every finding replaced by the later one on the same test; findings on other tests are added.

    A test that was red in the base is not latent because nobody told the later experiment so.
    """
    fresh = {finding.test: finding for triage in later for finding in triage.findings}
    known = {finding.test for triage in base for finding in triage.findings}
    updated = [replace(triage, findings=tuple(_renewed(f, fresh) for f in triage.findings)) for triage in base]
    added = [_only(triage, known) for triage in later if any(f.test not in known for f in triage.findings)]
    return (*updated, *added)


def _renewed(finding: Finding, fresh: Mapping[str, Finding]) -> Finding:
    later = fresh.get(finding.test)
    return finding if later is None else replace(later, latent=later.latent and finding.latent)


def _only(triage: Triage, known: set[str]) -> Triage:
    kept: list[Finding] = [finding for finding in triage.findings if finding.test not in known]
    return replace(triage, findings=tuple(kept))
