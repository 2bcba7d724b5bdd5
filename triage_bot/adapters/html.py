"""One page of the findings for a person: one file, no scripts, nothing loaded from elsewhere.

Everything that came from a test is escaped by the template engine, and loses its control characters first.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from triage_bot.adapters.plain import visible
from triage_bot.core.evidence_view import repeat_command
from triage_bot.core.findings import Leaker, Triage, Witness
from triage_bot.core.report import headline
from triage_bot.core.standing import Standing, cases

STANDINGS = {
    Standing.NEEDS_YOU: "needs you",
    Standing.LATENT: "latent: it does not fail by itself",
    Standing.EXPLAINED: "explained: nothing needs you",
    Standing.ACCEPTED: "accepted",
}


def page(triage: Triage) -> bytes:
    """The page, in UTF-8. Equal triages give equal bytes."""
    found = cases([triage])
    text = (
        _environment()
        .get_template("page.html.jinja")
        .render(
            title=headline([triage], found),
            triage=triage,
            facts=_facts(triage),
            findings=[(case.finding, STANDINGS[case.standing], repeat_command(case.finding)) for case in found],
        )
    )
    return text.encode("utf-8", "replace")


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: visible(value) if isinstance(value, str) else value,
    )
    environment.filters.update(bars=lambda witness: list(_bars(witness)), duration=_duration)
    environment.globals["owner"] = {Leaker.TEST: "the test", Leaker.CODE_UNDER_TEST: "the code under test"}
    return environment


def _facts(triage: Triage) -> list[str]:
    counts, ran = triage.summary, triage.environment
    numbers = (
        (counts.passed, "passed"),
        (counts.failed, "failed"),
        (counts.errored, "errored"),
        (counts.flaky, "passed on retry"),
        (counts.skipped, "skipped"),
        (counts.not_run, "not run"),
    )
    facts = [f"{number:,} {word}" for number, word in numbers if number]
    named = (("torch", ran.torch), ("driver", ran.driver), ("Python", ran.python))
    return [*facts, *filter(None, [ran.device or ran.runtime]), *(f"{name} {value}" for name, value in named if value)]


def _bars(witness: Witness) -> Iterator[dict[str, Any]]:
    """A bar for each stream, the longest as wide as the picture."""
    residues = sorted(witness.boundary.residues, key=lambda residue: -residue.seconds)
    longest = max((residue.seconds for residue in residues), default=0.0)
    for row, residue in enumerate(residues):
        width = round(100 * residue.seconds / longest, 1) if longest else 0.0
        yield {"row": row, "residue": residue, "width": max(width, 0.5)}


def _duration(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds >= 1 else f"{1000 * seconds:.3g} ms"
