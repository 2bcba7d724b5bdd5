"""Every ordering that the suite promises, by name: which two accesses it orders and which hazard it prevents.

Dropping an edge is how the control phase of a case is made, so each edge has exactly one case.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, unique


@unique
class Hazard(str, Enum):
    """What goes wrong when two accesses run in the wrong order."""

    RAW = "read after write"
    WAR = "write after read"
    WAW = "write after write"
    LIFETIME = "use after free"


@dataclass(frozen=True)
class Promise:
    """What an edge orders."""

    first: str
    """The access that must be done."""
    then: str
    """The access that may only follow."""
    hazard: Hazard
    """What dropping the edge lets happen."""


@unique
class Edge(Enum):
    """The edges that a caller or the backend keeps; the names are used in reports and on the command line."""

    STORE_AFTER_COMPUTE_WRITE = Promise(
        "compute writes a block", "the store stream reads the block to save it", Hazard.RAW
    )
    LOAD_AFTER_COMPUTE_READ = Promise(
        "compute reads a reused block", "the load stream overwrites the block", Hazard.WAR
    )

    @property
    def label(self) -> str:
        """The name as it is printed."""
        return self.name.lower().replace("_", "-")


KEEP_ALL: frozenset[Edge] = frozenset(Edge)
"""The promise kept in full: what a fixed phase runs with."""


def without(edge: Edge) -> frozenset[Edge]:
    """All edges but one: what a control phase runs with."""
    return KEEP_ALL - {edge}
