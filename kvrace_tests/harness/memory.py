"""Memory of the emulated device: bytes that really move, and a caching allocator that really hands them out again.

An operation touches the first half of each of its blocks when it begins and the second half when it ends, so that two
operations that overlap leave a torn block behind.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from kvrace_tests.harness.engine import Marker
from kvrace_tests.harness.trace import Access, MemoryId

UNDEFINED = 0xCD
"""What fresh device memory is full of."""


class OutOfMemoryError(RuntimeError):
    """The device has no such piece left."""


class Memory:
    """One piece of memory."""

    __slots__ = ("block_bytes", "blocks", "data", "home", "ident", "past")

    def __init__(self, ident: MemoryId, blocks: int, block_bytes: int, home: int, fill: int) -> None:
        self.ident = ident
        self.blocks = blocks
        self.block_bytes = block_bytes
        self.home = home
        """Lane that orders its reuse; -1 on the host."""
        self.past: tuple[Marker, ...] = ()
        """Reached before the memory was handed out again; whoever gets it knows so."""
        self.data = bytearray([fill]) * (blocks * block_bytes)

    def block(self, index: int) -> bytes:
        """The bytes of one block."""
        return bytes(self.data[index * self.block_bytes : (index + 1) * self.block_bytes])

    def access(self, blocks: Iterable[int]) -> Access:
        """These blocks, as a trace names them."""
        return Access(self.ident, tuple(blocks))

    def halves(self, index: int, *, second: bool) -> slice:
        """Where the first or second half of a block lies."""
        start = index * self.block_bytes
        middle = start + self.block_bytes // 2
        return slice(middle, start + self.block_bytes) if second else slice(start, middle)


class PlannedCopy(NamedTuple):
    """Where a batched copy reads and writes."""

    target: Memory
    source: Memory
    pairs: Sequence[tuple[int, int]]


def fill(memory: Memory, value: int, blocks: Sequence[int], *, second: bool) -> None:
    """Set one half of each block."""
    for index in blocks:
        place = memory.halves(index, second=second)
        memory.data[place] = bytes([value]) * (place.stop - place.start)


def add(target: Memory, source: Memory, *, second: bool) -> None:
    """Add one half of each block, modulo 256."""
    for index in range(target.blocks):
        place = target.halves(index, second=second)
        target.data[place] = bytes(
            (left + right) & 0xFF for left, right in zip(target.data[place], source.data[place], strict=True)
        )


def copy(plan: PlannedCopy, *, second: bool, snapshot: bytes | None = None) -> None:
    """Copy one half of each block, from ``snapshot`` of the source if one was taken."""
    data = plan.source.data if snapshot is None else snapshot
    for source, target in plan.pairs:
        plan.target.data[plan.target.halves(target, second=second)] = data[plan.source.halves(source, second=second)]


class Allocator:
    """Device memory that is handed out again, last freed first, to the same shape and home."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._held = 0
        self._made = 0
        self._free: list[Memory] = []

    def device(self, blocks: int, block_bytes: int, home: int) -> Memory:
        """Device memory whose contents are whatever they were."""
        for index in range(len(self._free) - 1, -1, -1):
            memory = self._free[index]
            if (memory.blocks, memory.block_bytes, memory.home) == (blocks, block_bytes, home):
                return self._free.pop(index)
        size = blocks * block_bytes
        if self._held + size > self.capacity:
            raise OutOfMemoryError(
                f"out of memory: tried to allocate {size} bytes, "
                f"{self.capacity - self._held} of {self.capacity} are free on the emulated device"
            )
        self._held += size
        return self._new(blocks, block_bytes, home, UNDEFINED)

    def host(self, blocks: int, block_bytes: int) -> Memory:
        """Page-locked memory, zeroed."""
        return self._new(blocks, block_bytes, -1, 0)

    def give_back(self, memory: Memory, past: Iterable[Marker]) -> None:
        """The memory may be handed out from now on, all of ``past`` being reached."""
        memory.past = tuple(past)
        self._free.append(memory)

    def _new(self, blocks: int, block_bytes: int, home: int, fill_value: int) -> Memory:
        self._made += 1
        return Memory(MemoryId(self._made), blocks, block_bytes, home, fill_value)
