"""One run of the emulated device: the calls that its host makes, what they cost, what is recorded, who is told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from kvrace_tests.harness.engine import Engine, Lane, Marker, Wait, Work
from kvrace_tests.harness.host import Host
from kvrace_tests.harness.timing import Dice, Nanoseconds, Range, Timing
from kvrace_tests.harness.trace import (
    Access,
    Acquired,
    LaneId,
    Launched,
    OperationId,
    PointId,
    Ran,
    Reached,
    Recorded,
    Released,
    ThreadId,
    Touched,
    Trace,
    Waited,
)


class DeviceError(RuntimeError):
    """The device refused, or failed earlier and tells now."""


class Observer(Protocol):
    """Who is told of launches, waits and synchronizations; on the acting thread."""

    def before_launch(self, stream: int) -> None:
        """An operation is about to enter ``stream``."""

    def after_launch(self, stream: int) -> None:
        """An operation has entered ``stream``."""

    def after_wait(self, stream: int) -> None:
        """``stream`` was told to wait."""

    def after_host_sync(self) -> None:
        """The host learned that work is done."""

    def after_query(self, subject: int, done: bool) -> None:
        """The host asked whether work is done."""


@dataclass
class Audience:
    """Who listens, and what was seen since: outlives the runs of one process."""

    observer: Observer | None = None
    launches: bool = False
    """Whether launches are told too."""
    used: list[int] = field(default_factory=list)
    """Handles of the lanes that work entered, in order of first use."""


@dataclass(frozen=True)
class Operation:
    """What a stream can be asked to do."""

    label: str
    price: Range
    """Host cost of launching it."""
    duration: Callable[[Dice], Nanoseconds]
    reads: tuple[Access, ...] = ()
    writes: tuple[Access, ...] = ()
    apply: Callable[[bool], None] = lambda second: None
    """Move the data of the first or second half of each block."""
    early: Callable[[], None] | None = None
    """Taken as soon as the device sees the operation, if its reads are not ordered."""


@dataclass
class Run:
    """Everything that a replay must repeat."""

    dice: Dice
    audience: Audience
    trace: Trace = field(default_factory=Trace)
    sticky: str = ""
    """An error that every later call repeats."""

    def __post_init__(self) -> None:
        self.engine = Engine(self.dice)
        self.host = Host(self.engine, self.dice)
        self.timing: Timing = self.dice.timing
        self._operations = 0
        self._tokens = 0

    def enter(self) -> ThreadId:
        """Begin a call of the running thread; raises what the device has to say first."""
        thread = self.host.enter()
        if self.sticky:
            raise DeviceError(self.sticky)
        return ThreadId(thread.ident)

    def launch(self, lane: Lane, operation: Operation, *, told: bool = True) -> None:
        """Put an operation on a lane."""
        self.launch_all(lane, [operation], operation.price, told=told)

    def launch_all(self, lane: Lane, operations: list[Operation], price: Range, *, told: bool = True) -> None:
        """Put several operations on a lane with one call; they count as one."""
        thread = self.enter()
        if told:
            if lane.handle not in self.audience.used:
                self.audience.used.append(lane.handle)
            self._tell_launch("before_launch", lane)
        self.host.spend(price)
        for operation in operations:
            self._enqueue(thread, lane, operation)
        if told:
            self._tell_launch("after_launch", lane)

    def record(self, lane: Lane) -> Marker:
        """Mark the end of a lane."""
        thread = self.enter()
        self.host.spend(self.timing.event_call)
        marker = self.engine.marker()
        self.trace.entries.append(Recorded(thread, LaneId(lane.ident), PointId(marker.ident)))
        self.engine.enqueue(lane, marker, self._arrival())
        return marker

    def wait(self, lane: Lane, marker: Marker) -> None:
        """Make a lane wait for a marker."""
        thread = self.enter()
        self.host.spend(self.timing.event_call)
        self.trace.entries.append(Waited(thread, LaneId(lane.ident), PointId(marker.ident)))
        self.engine.enqueue(lane, Wait(marker), self._arrival())
        self._tell(lambda observer: observer.after_wait(lane.handle))

    def reach(self, *markers: Marker) -> None:
        """The running thread waits for all markers, in one call."""
        thread = self.enter()
        self.host.spend(self.timing.event_call)
        for marker in markers:
            self.host.wait_for(marker)
        self._reached(thread, *markers)

    def know(self, marker: Marker) -> None:
        """The running thread relies on a marker being reached, without a call of the device."""
        self.trace.entries.append(Reached(self.enter(), PointId(marker.ident)))

    def asked(self, marker: Marker) -> bool:
        """The running thread asks whether a marker is reached."""
        thread = self.enter()
        self.host.spend(self.timing.event_call)
        if marker.done:
            self._reached(thread, marker)
        return marker.done

    def answered(self, subject: int, done: bool) -> bool:
        """The running thread was told whether a stream or an event is done."""
        self._tell(lambda observer: observer.after_query(subject, done))
        return done

    def touch(self, access: Access, *, write: bool) -> None:
        """The running thread reads or writes host memory itself."""
        thread = self.enter()
        self.host.spend(self.timing.host_access)
        self._operations += 1
        self.trace.entries.append(Touched(OperationId(self._operations), thread, access, write))

    def passed(self, lane: Lane) -> Marker:
        """A marker that is reached already: the end of a lane that has nothing left."""
        thread = self.enter()
        marker = self.engine.marker(done=True)
        self.trace.entries.append(Recorded(thread, LaneId(lane.ident), PointId(marker.ident)))
        return marker

    def token(self) -> int:
        """A name under which threads can publish and take over."""
        self._tokens += 1
        return self._tokens

    def release(self, token: int) -> None:
        """Publish what the running thread has done."""
        self.trace.entries.append(Released(self.enter(), token))

    def acquire(self, token: int) -> None:
        """Take over what another thread published."""
        self.trace.entries.append(Acquired(self.enter(), token))

    def _enqueue(self, thread: ThreadId, lane: Lane, operation: Operation) -> None:
        self._operations += 1
        ident = OperationId(self._operations)
        self.trace.entries.append(
            Launched(
                ident,
                thread,
                LaneId(lane.ident),
                operation.label,
                operation.reads,
                operation.writes,
                operation.early is not None,
            )
        )
        began = 0

        def begin(now: Nanoseconds) -> None:
            nonlocal began
            began = now
            operation.apply(False)

        def end(now: Nanoseconds) -> None:
            operation.apply(True)
            self.trace.entries.append(Ran(ident, began, now))

        arrival = self._arrival()
        if operation.early is not None:
            early = operation.early
            self.engine.at(arrival, lambda now: early())
        self.engine.enqueue(lane, Work(operation.duration(self.dice), begin, end), arrival)

    def _arrival(self) -> Nanoseconds:
        return self.host.current.clock + self.dice.draw(self.timing.submit)

    def _reached(self, thread: ThreadId, *markers: Marker) -> None:
        if self.sticky:
            raise DeviceError(self.sticky)
        self.trace.entries.extend(Reached(thread, PointId(marker.ident)) for marker in markers)
        self._tell(lambda observer: observer.after_host_sync())

    def _tell_launch(self, which: str, lane: Lane) -> None:
        if self.audience.launches:
            self._tell(lambda observer: getattr(observer, which)(lane.handle))

    def _tell(self, message: Callable[[Observer], None]) -> None:
        thread = self.host.current
        observer = self.audience.observer
        if observer is None or thread.telling:
            return
        thread.telling = True
        try:
            message(observer)
        finally:
            thread.telling = False
