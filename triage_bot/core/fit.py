"""Fitting sections of text into a budget: whole ones are reduced, then dropped, and the reader is told how many."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

RESERVE = 250
"""Characters kept for the sentence on what was left out."""


@dataclass(frozen=True)
class Section:
    """One item in two lengths."""

    full: Callable[[], str]
    """Made only where there may be room for it."""
    brief: str
    """Shown where the full text does not fit; may be empty."""


@dataclass(frozen=True)
class Group:
    """Sections under one title, the most important first."""

    title: str
    sections: Sequence[Section]


def length(text: str) -> int:
    """Characters as the strictest counter counts them: those outside the basic plane are two."""
    return len(text) + sum(character > "\uffff" for character in text)


def fit(head: str, groups: Sequence[Group], foot: str, limit: int) -> str:
    """Head, groups, foot, at most ``limit`` characters. Every section is tried brief before any is tried in full."""
    order = [(group, section) for group in range(len(groups)) for section in range(len(groups[group].sections))]
    room = limit - RESERVE - length(head) - length(foot) - sum(length(group.title) + 8 for group in groups)
    shown: dict[tuple[int, int], str] = {}
    for group, section in order:
        brief = groups[group].sections[section].brief
        if length(brief) + 2 > room:
            break
        shown[group, section] = brief
        room -= length(brief) + 2
    reduced = 0
    for group, section in list(shown):
        full = groups[group].sections[section].full()
        growth = length(full) - length(shown[group, section])
        if growth <= room:
            shown[group, section] = full
            room -= growth
        else:
            reduced += 1
    parts = [head]
    for index, group_ in enumerate(groups):
        texts = [text for (group, _), text in shown.items() if group == index and text]
        parts += [f"### {group_.title}", *texts] if texts else []
    return "\n\n".join([*parts, *_left_out(len(order) - len(shown), reduced), foot]) + "\n"


def _left_out(dropped: int, reduced: int) -> list[str]:
    facts = []
    if dropped:
        facts.append(f"{dropped:,} more {'section is' if dropped == 1 else 'sections are'} not shown")
    if reduced:
        facts.append(f"the evidence of {reduced:,} shown without it is left out")
    return [f"**Cut to fit:** {'; '.join(facts)}. All of it is in `triage.json` of the run."] if facts else []
