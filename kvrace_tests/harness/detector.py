"""The logical witness: which accesses of a trace nothing orders, whatever their timing was.

Two accesses to one block race when at least one writes and neither happened before the other. Order comes from a lane's
own sequence, a thread's own sequence, waits of lanes, waits of the host, and jobs handed between threads; from nothing
else, so a race is reported also in a run in which the accesses happened to be far apart. For each block only the latest
access of each agent is kept: an agent's accesses are ordered among themselves, so if an earlier one raced, so does the
latest. What it does not see: accesses inside one kernel, and order that a program gets from polling plain memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from kvrace_tests.harness.clocks import Agent, Clock
from kvrace_tests.harness.trace import (
    Access,
    Acquired,
    Entry,
    LaneId,
    Launched,
    Marked,
    MemoryId,
    Opened,
    PointId,
    Reached,
    Recorded,
    Released,
    ThreadId,
    Touched,
    Waited,
)
from kvrace_tests.offload.ordering import Hazard


class Actor(NamedTuple):
    """One access as a person would name it."""

    label: str
    place: str
    """The lane or thread it ran on."""
    phase: str
    """The latest note in the trace when it was launched."""
    write: bool


class Race(NamedTuple):
    """Two accesses without an order between them; ``first`` was launched first."""

    first: Actor
    then: Actor
    memory: MemoryId
    block: int

    @property
    def hazard(self) -> Hazard:
        """What goes wrong when they run the other way round."""
        if self.first.write:
            return Hazard.WAW if self.then.write else Hazard.RAW
        return Hazard.WAR

    def __str__(self) -> str:
        return (
            f"{self.hazard.value}: nothing orders {self.first.label!r} on {self.first.place} ({self.first.phase}) "
            f"before {self.then.label!r} on {self.then.place} ({self.then.phase}), block {self.block}"
        )


@dataclass
class _Known:
    """The latest access of an agent to a block, by kind."""

    step: int
    actor: Actor


class Detector:
    """Reads a trace once, in order."""

    def __init__(self) -> None:
        self.races: list[Race] = []
        self._phase = ""
        self._names = {LaneId(0): "default"}
        self._agents: dict[tuple[str, int], Agent] = {}
        self._clocks: dict[Agent, Clock] = {}
        self._points: dict[PointId, Clock] = {}
        self._tokens: dict[int, Clock] = {}
        self._seen: dict[tuple[MemoryId, int], dict[tuple[Agent, bool], _Known]] = {}

    def read(self, entries: Iterable[Entry]) -> list[Race]:
        """All races among ``entries``, each pair of kinds, places and phases once."""
        for entry in entries:
            self._read(entry)
        return list({(race.first, race.then): race for race in self.races}.values())

    def _read(self, entry: Entry) -> None:
        if isinstance(entry, Launched):
            self._launched(entry)
        elif isinstance(entry, Touched):
            thread = self._thread(entry.thread)
            label = "host write" if entry.write else "host read"
            actor = Actor(label, f"thread {entry.thread}", self._phase, entry.write)
            self._access(thread, self._clocks[thread], entry.access, actor)
        elif isinstance(entry, Recorded):
            clock = self._clocks[self._lane(entry.lane)].copy()
            clock.join(self._clocks[self._thread(entry.thread)])
            self._points[entry.point] = clock
        elif isinstance(entry, Waited):
            self._clocks[self._lane(entry.lane)].join(self._points[entry.point])
        elif isinstance(entry, Reached):
            self._clocks[self._thread(entry.thread)].join(self._points[entry.point])
        elif isinstance(entry, Released):
            self._tokens[entry.token] = self._clocks[self._thread(entry.thread)].copy()
        elif isinstance(entry, Acquired):
            self._clocks[self._thread(entry.thread)].join(self._tokens[entry.token])
        elif isinstance(entry, Marked):
            self._phase = entry.text
        elif isinstance(entry, Opened):
            self._names[entry.lane] = entry.name

    def _launched(self, entry: Launched) -> None:
        lane = self._lane(entry.lane)
        clock = self._clocks[lane]
        launcher = self._clocks[self._thread(entry.thread)]
        clock.join(launcher)
        place = self._names.get(entry.lane, f"lane {entry.lane}")
        for access in entry.reads:
            actor = Actor(entry.label, place, self._phase, write=False)
            if entry.early:
                # Such a read follows its launch and nothing else, so it is an agent of its own; the lane goes on
                # only after it.
                reader = self._agent("early", entry.operation)
                alone = launcher.copy()
                self._access(reader, alone, access, actor)
                clock.join(alone)
            else:
                self._access(lane, clock, access, actor)
        for access in entry.writes:
            self._access(lane, clock, access, Actor(entry.label, place, self._phase, write=True))

    def _access(self, agent: Agent, clock: Clock, access: Access, actor: Actor) -> None:
        step = clock.tick(agent)
        for block in access.blocks:
            seen = self._seen.setdefault((access.memory, block), {})
            for (other, wrote), known in seen.items():
                if (wrote or actor.write) and other != agent and not clock.knows(other, known.step):
                    self.races.append(Race(known.actor, actor, access.memory, block))
            seen[agent, actor.write] = _Known(step, actor)

    def _lane(self, lane: LaneId) -> Agent:
        return self._agent("lane", lane)

    def _thread(self, thread: ThreadId) -> Agent:
        return self._agent("thread", thread)

    def _agent(self, kind: str, ident: int) -> Agent:
        agent = self._agents.setdefault((kind, ident), Agent(len(self._agents)))
        self._clocks.setdefault(agent, Clock())
        return agent


def races(entries: Iterable[Entry]) -> list[Race]:
    """All races of a trace."""
    return Detector().read(entries)
