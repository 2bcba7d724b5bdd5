"""What happened in a run, in the order in which the host made it happen: the detector's input, and the replay's proof.

Entries are plain tuples of names and numbers, so that two runs can be compared byte for byte.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, NewType

ThreadId = NewType("ThreadId", int)
LaneId = NewType("LaneId", int)
MemoryId = NewType("MemoryId", int)
PointId = NewType("PointId", int)
OperationId = NewType("OperationId", int)


class Access(NamedTuple):
    """Blocks of one piece of memory that an operation touches."""

    memory: MemoryId
    blocks: tuple[int, ...]


class Opened(NamedTuple):
    """A lane got its name."""

    lane: LaneId
    name: str


class Launched(NamedTuple):
    """A thread put an operation on a lane."""

    operation: OperationId
    thread: ThreadId
    lane: LaneId
    label: str
    reads: tuple[Access, ...]
    writes: tuple[Access, ...]
    early: bool
    """Whether the reads may happen at any time after the launch, whatever the lane waits for."""


class Recorded(NamedTuple):
    """A thread marked a point of a lane."""

    thread: ThreadId
    lane: LaneId
    point: PointId


class Waited(NamedTuple):
    """A thread made a lane wait for a point."""

    thread: ThreadId
    lane: LaneId
    point: PointId


class Reached(NamedTuple):
    """A thread learned that a point is done."""

    thread: ThreadId
    point: PointId


class Released(NamedTuple):
    """A thread published what it has done under a token, such as a job that it hands over."""

    thread: ThreadId
    token: int


class Acquired(NamedTuple):
    """A thread took over what was published under a token."""

    thread: ThreadId
    token: int


class Touched(NamedTuple):
    """A thread read or wrote host memory itself."""

    operation: OperationId
    thread: ThreadId
    access: Access
    write: bool


class Marked(NamedTuple):
    """The program left a note."""

    text: str


class Ran(NamedTuple):
    """When an operation ran; the detector does not look at it."""

    operation: OperationId
    begin: int
    """Virtual nanoseconds."""
    end: int


Entry = Opened | Launched | Recorded | Waited | Reached | Released | Acquired | Touched | Marked | Ran


@dataclass
class Trace:
    """All entries of one run."""

    entries: list[Entry] = field(default_factory=list)

    def text(self) -> str:
        """One line an entry; equal texts mean equal runs."""
        return "".join(f"{line}\n" for line in self.entries)

    def since(self, mark: int) -> Sequence[Entry]:
        """The entries from index ``mark`` on."""
        return self.entries[mark:]
