"""Which test a person means by a name: a node id, or a part that only one node id has."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

_NEAR = 3


@dataclass(frozen=True)
class Ambiguous:
    """Several tests have the name as a part."""

    candidates: tuple[str, ...]


@dataclass(frozen=True)
class Missing:
    """No test has it."""

    near: tuple[str, ...]
    """Node ids that read much like it, nearest first."""


def select(name: str, node_ids: Sequence[str]) -> str | Ambiguous | Missing:
    """The one node id that ``name`` stands for. An exact id beats an exact test name, which beats a mere part."""
    exact = [node_id for node_id in node_ids if node_id == name]
    named = [node_id for node_id in node_ids if _test_name(node_id) == name]
    parts = [node_id for node_id in node_ids if name in node_id]
    for candidates in (exact, named, parts):
        if len(candidates) == 1:
            return candidates[0]
        if candidates:
            return Ambiguous(tuple(candidates))
    return Missing(tuple(_near(name, node_ids)))


def _near(name: str, node_ids: Sequence[str]) -> list[str]:
    wanted = _test_name(name)
    by_name = {_test_name(node_id): node_id for node_id in node_ids}
    return [by_name[near] for near in difflib.get_close_matches(wanted, by_name, n=_NEAR, cutoff=0.5)]


def _test_name(node_id: str) -> str:
    # Parameters may hold "::" themselves; a name ends where they begin.
    head, bracket, parameters = node_id.partition("[")
    return head.rpartition("::")[2] + bracket + parameters
