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


@dataclass(frozen=True)
class Promise:
    """What an edge orders, and what dropping it lets happen."""

    first: str
    """The access that must be done."""
    then: str
    """The access that may only follow."""
    hazard: Hazard


@unique
class Edge(Enum):
    """The edges that the backend keeps; each prevents one hazard."""

    STORE_AFTER_COMPUTE_WRITE = Promise("compute writes a block", "a store reads it", Hazard.RAW)
    COMPUTE_READ_AFTER_LOAD = Promise("a load writes a block", "compute reads it", Hazard.RAW)
    LOAD_AFTER_COMPUTE_READ = Promise("compute reads a reused block", "a load overwrites it", Hazard.WAR)
    REUSE_AFTER_STORE_READ = Promise("a store reads a block", "compute overwrites the freed block", Hazard.WAR)
    STAGING_AFTER_COPY_READ = Promise("a copy reads a staging buffer", "the host rewrites the buffer", Hazard.WAR)
    FREE_AFTER_SIDE_READ = Promise("a side stream reads a tensor", "its freed memory is written anew", Hazard.WAR)
    HANDOVER_OWN_EVENT = Promise(
        "compute writes a block and records an event", "its waiter reads the block", Hazard.RAW
    )
    HOST_READ_AFTER_STORE = Promise("a store writes host memory", "the host reads it", Hazard.RAW)
    REPLAY_AFTER_SIDE_WRITE = Promise("a side stream writes a graph's input", "a replay reads it", Hazard.RAW)
    REASSIGN_AFTER_LOAD_WRITE = Promise("a stale load writes a block", "the block's new owner writes it", Hazard.WAW)
    SOURCE_IN_STREAM_ORDER = Promise("compute writes a block", "a batched copy reads its source", Hazard.RAW)
    REDUCE_AFTER_PRODUCE = Promise("compute writes a partial sum", "a collective reads it", Hazard.RAW)
    COUNT_AFTER_OTHER_BLOCKS = Promise("a block of a kernel adds to a counter", "another block reads it", Hazard.RAW)

    @property
    def label(self) -> str:
        """The name as it is printed."""
        return self.name.lower().replace("_", "-")


KEEP_ALL: frozenset[Edge] = frozenset(Edge)
"""The promise kept in full: what a fixed phase runs with."""


def without(edge: Edge) -> frozenset[Edge]:
    """All edges but one: what a control phase runs with."""
    return KEEP_ALL - {edge}
