"""The emulated device itself: lanes of operations executed in virtual time. Knows neither threads nor memory.

A lane is a stream's queue. Its operations run one after another, lanes run side by side, and a lane that waits for a
marker of another goes on a little after that marker is reached. Everything happens in ``step``, one instant at a time.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable

from kvrace_tests.harness.timing import Dice, Nanoseconds

Effect = Callable[[Nanoseconds], None]
"""Something that happens at a virtual instant."""


class Marker:
    """A point in a lane, reached once."""

    __slots__ = ("_then", "done", "ident")

    def __init__(self, ident: int, *, done: bool = False) -> None:
        self.ident = ident
        self.done = done
        self._then: list[Effect] = []

    def then(self, effect: Effect) -> None:
        """Call ``effect`` when the marker is reached, which it must not be yet."""
        self._then.append(effect)

    def reach(self, now: Nanoseconds) -> None:
        """The lane has come to this point."""
        self.done = True
        for effect in self._then:
            effect(now)


class Wait:
    """The lane goes on after ``marker``."""

    __slots__ = ("marker",)

    def __init__(self, marker: Marker) -> None:
        self.marker = marker


class Work:
    """An operation: an effect at its start, one at its end, and the time between."""

    __slots__ = ("begin", "duration", "end")

    def __init__(self, duration: Nanoseconds, begin: Effect, end: Effect) -> None:
        self.duration = duration
        self.begin = begin
        self.end = end


class Lane:
    """One stream's queue."""

    __slots__ = ("active", "handle", "ident", "queue")

    def __init__(self, handle: int, ident: int) -> None:
        self.handle = handle
        """Never used twice in a process."""
        self.ident = ident
        """Counts the lanes of one run, so that equal runs have equal traces."""
        self.queue: deque[tuple[Nanoseconds, Work | Wait | Marker]] = deque()
        self.active = False
        """Whether something already scheduled will look at the queue again."""

    @property
    def idle(self) -> bool:
        """Whether everything enqueued is done."""
        return not self.queue


class Engine:
    """All lanes of a device and the instants to come."""

    def __init__(self, dice: Dice) -> None:
        self._dice = dice
        self._agenda: list[tuple[Nanoseconds, int, Effect]] = []
        self._scheduled = 0
        self._markers = 0

    def marker(self, *, done: bool = False) -> Marker:
        """A new marker."""
        self._markers += 1
        return Marker(self._markers, done=done)

    def at(self, when: Nanoseconds, effect: Effect) -> None:
        """Let ``effect`` happen then; what is scheduled first for an instant happens first."""
        self._scheduled += 1
        heapq.heappush(self._agenda, (when, self._scheduled, effect))

    def next_instant(self) -> Nanoseconds | None:
        """When something happens next; None when nothing ever will."""
        return self._agenda[0][0] if self._agenda else None

    def step(self) -> None:
        """Let the next thing happen."""
        when, _, effect = heapq.heappop(self._agenda)
        effect(when)

    def enqueue(self, lane: Lane, item: Work | Wait | Marker, arrival: Nanoseconds) -> None:
        """Append to a lane; the device sees it at ``arrival`` at the earliest."""
        lane.queue.append((arrival, item))
        if not lane.active:
            self._look(lane, arrival)

    def _look(self, lane: Lane, when: Nanoseconds) -> None:
        lane.active = True
        self.at(when, lambda now: self._pump(lane, now))

    def _pump(self, lane: Lane, now: Nanoseconds) -> None:
        queue = lane.queue
        while queue:
            arrival, item = queue[0]
            if arrival > now:
                self._look(lane, arrival)
                return
            if isinstance(item, Work):
                self._start(lane, item, now)
                return
            if isinstance(item, Wait) and not item.marker.done:
                self._sleep_until(item.marker, lane)
                return
            queue.popleft()
            if isinstance(item, Marker):
                item.reach(now)
        lane.active = False

    def _sleep_until(self, marker: Marker, lane: Lane) -> None:
        cross = self._dice.timing.cross_stream
        marker.then(lambda reached: self._look(lane, reached + self._dice.draw(cross)))

    def _start(self, lane: Lane, work: Work, now: Nanoseconds) -> None:
        gap = self._dice.draw(self._dice.timing.gap)
        self.at(now + gap, lambda start: self._begin(lane, work, start))

    def _begin(self, lane: Lane, work: Work, now: Nanoseconds) -> None:
        work.begin(now)
        self.at(now + work.duration, lambda end: self._finish(lane, work, end))

    def _finish(self, lane: Lane, work: Work, now: Nanoseconds) -> None:
        work.end(now)
        lane.queue.popleft()
        self._pump(lane, now)
