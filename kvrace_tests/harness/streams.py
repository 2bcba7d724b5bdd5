"""Streams, events and graphs of the emulated device, as programs hold them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from kvrace_tests.harness import memory as moves
from kvrace_tests.harness.buffers import memory_of
from kvrace_tests.harness.engine import Lane, Marker
from kvrace_tests.harness.memory import PlannedCopy
from kvrace_tests.harness.run import Operation
from kvrace_tests.harness.timing import MILLISECOND
from kvrace_tests.harness.trace import Access
from kvrace_tests.offload.streams import BlockPair, Buffer, DeviceBuffer, Event, Graph, Priority, SourceOrder

if TYPE_CHECKING:
    from kvrace_tests.harness.emulator import Emulator


class EmulatedEvent:
    """A point in a stream."""

    def __init__(self, device: Emulator) -> None:
        self._device = device
        self.marker: Marker | None = None

    def query(self) -> bool:
        """Whether the latest record is reached."""
        self._device.refuse_while_capturing()
        done = self.marker is None or self._device.run.asked(self.marker)
        return self._device.run.answered(id(self), done)

    def synchronize(self) -> None:
        """The host waits for the latest record."""
        self._device.refuse_while_capturing()
        if self.marker is not None:
            self._device.run.reach(self.marker)


class EmulatedGraph:
    """Captured operations."""

    def __init__(self) -> None:
        self.operations: list[Operation] = []


class EmulatedStream:
    """A queue of the emulated device."""

    def __init__(self, device: Emulator, lane: Lane, name: str, priority: Priority) -> None:
        self.device = device
        self.lane = lane
        self.name = name
        self.priority = priority

    def __repr__(self) -> str:
        return f"<emulated stream {self.name}>"

    def record(self, event: Event) -> None:
        """Let the event mean everything enqueued so far."""
        self.device.refuse_in_capture_of(self.lane)
        own_event(event).marker = self.device.run.record(self.lane)

    def wait(self, event: Event) -> None:
        """Later operations follow the event's present record."""
        self.device.refuse_in_capture_of(self.lane)
        marker = own_event(event).marker
        if marker is not None:
            self.device.run.wait(self.lane, marker)

    def synchronize(self) -> None:
        """The host waits for the stream."""
        self.device.refuse_while_capturing()
        self.device.run.reach(self.device.run.record(self.lane))

    def query(self) -> bool:
        """Whether nothing is left to do."""
        self.device.refuse_while_capturing()
        if not self.lane.idle:
            self.device.run.enter()
            self.device.run.host.spend(self.device.timing.event_call)
            return self.device.run.answered(id(self), done=False)
        return self.device.run.answered(id(self), self.device.run.asked(self.device.run.passed(self.lane)))

    def sleep(self, milliseconds: float) -> None:
        """Occupy the stream."""
        self.device.occupy(self.lane, int(milliseconds * MILLISECOND), "sleep")

    def fill(self, buffer: DeviceBuffer, value: int, blocks: Sequence[int] | None = None) -> None:
        """Set every byte of some blocks."""
        memory = memory_of(buffer)
        chosen = tuple(range(memory.blocks)) if blocks is None else tuple(blocks)
        self._kernel(
            f"fill {value}",
            writes=(memory.access(chosen),),
            apply=lambda second: moves.fill(memory, value, chosen, second=second),
        )

    def add(self, target: DeviceBuffer, source: DeviceBuffer) -> None:
        """Add byte by byte."""
        into, of = memory_of(target), memory_of(source)
        every = range(into.blocks)
        self._kernel(
            "add",
            reads=(of.access(every), into.access(every)),
            writes=(into.access(every),),
            apply=lambda second: moves.add(into, of, second=second),
        )

    def copy(
        self, target: Buffer, source: Buffer, pairs: Sequence[BlockPair], order: SourceOrder = SourceOrder.STREAM
    ) -> None:
        """Copy blocks as one batch."""
        plan = PlannedCopy(memory_of(target), memory_of(source), tuple(pairs))
        self.device.launch(self.lane, _copy(self.device, plan, order))

    def replay(self, graph: Graph) -> None:
        """Run what was captured."""
        if not isinstance(graph, EmulatedGraph):
            raise ValueError(f"{graph!r} is not a graph of this emulated device")
        self.device.refuse_while_capturing()
        self.device.run.launch_all(self.lane, graph.operations, self.device.timing.launch)

    def read(self, buffer: DeviceBuffer) -> bytes:
        """Copy to the host and wait."""
        self.device.refuse_while_capturing()
        memory = memory_of(buffer)
        seen = bytearray(len(memory.data))

        def look(second: bool) -> None:
            for block in range(memory.blocks):
                place = memory.halves(block, second=second)
                seen[place] = memory.data[place]

        timing = self.device.timing
        every = (memory.access(range(memory.blocks)),)
        look_up = Operation("read", timing.launch, lambda dice: dice.draw(timing.batch), every, (), look)
        self.device.launch(self.lane, look_up)
        self.synchronize()
        return bytes(seen)

    def _kernel(
        self, label: str, *, apply: Callable[[bool], None], reads: tuple[Access, ...] = (), writes: tuple[Access, ...]
    ) -> None:
        timing = self.device.timing
        self.device.launch(
            self.lane, Operation(label, timing.launch, lambda dice: dice.draw(timing.kernel), reads, writes, apply)
        )


def _copy(device: Emulator, plan: PlannedCopy, order: SourceOrder) -> Operation:
    taken: list[bytes] = []

    def apply(second: bool) -> None:
        moves.copy(plan, second=second, snapshot=taken[0] if taken else None)

    def take() -> None:
        taken.append(bytes(plan.source.data))

    return Operation(
        f"copy {len(plan.pairs)}",
        device.timing.batch_launch,
        lambda dice: dice.draw(device.timing.batch),
        (plan.source.access(source for source, _ in plan.pairs),),
        (plan.target.access(target for _, target in plan.pairs),),
        apply,
        take if order is SourceOrder.ANY else None,
    )


def own_event(event: Event) -> EmulatedEvent:
    """An event as one of the emulated device's."""
    if not isinstance(event, EmulatedEvent):
        raise ValueError(f"{event!r} is not an event of this emulated device")
    return event
