"""Buffers of the emulated device, as programs hold them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kvrace_tests.harness.engine import Lane, Marker
from kvrace_tests.harness.memory import Memory
from kvrace_tests.harness.run import DeviceError
from kvrace_tests.offload.streams import Buffer, Stream

if TYPE_CHECKING:
    from kvrace_tests.harness.emulator import Emulator


class EmulatedBuffer:
    """A handle of a piece of memory."""

    def __init__(self, device: Emulator, memory: Memory) -> None:
        self.device = device
        self.memory = memory
        self.freed = False

    @property
    def blocks(self) -> int:
        """Number of blocks."""
        return self.memory.blocks

    @property
    def block_bytes(self) -> int:
        """Size of one block."""
        return self.memory.block_bytes

    def live(self) -> Memory:
        """The memory; raises when it was given back."""
        if self.freed:
            raise DeviceError("the buffer was freed before this call")
        return self.memory


class EmulatedHostBuffer(EmulatedBuffer):
    """Page-locked memory."""

    def peek(self, block: int) -> bytes:
        """The bytes of one block as they are now."""
        self.device.run.touch(self.live().access([block]), write=False)
        return self.memory.block(block)

    def poke(self, block: int, value: int) -> None:
        """Set every byte of one block now."""
        self.device.run.touch(self.live().access([block]), write=True)
        size = self.memory.block_bytes
        self.memory.data[block * size : (block + 1) * size] = bytes([value]) * size

    def free(self) -> None:
        """Unpin the memory."""
        self.freed = True


class EmulatedDeviceBuffer(EmulatedBuffer):
    """Memory of the caching allocator."""

    def __init__(self, device: Emulator, memory: Memory, home: Lane) -> None:
        super().__init__(device, memory)
        self.home = home
        self._run, self._allocator = device.run, device.allocator
        self._users: list[Lane] = []

    def __del__(self) -> None:
        """Memory that nobody refers to is free, as a tensor's is."""
        self.free()

    def record_stream(self, stream: Stream) -> None:
        """Another stream uses the memory too."""
        self._users.append(self.device.own(stream).lane)

    def free(self) -> None:
        """Hand the memory back: at once, or when the recorded streams have come that far."""
        if self.freed:
            return
        self.freed = True
        self._release_after([self._run.record(lane) for lane in self._users])

    def _release_after(self, past: list[Marker]) -> None:
        for marker in past:
            if not marker.done:
                marker.then(lambda now: self._release_after(past))
                return
        self._allocator.give_back(self.memory, past)


def memory_of(buffer: Buffer) -> Memory:
    """The live memory behind a buffer of the emulated device."""
    if not isinstance(buffer, EmulatedBuffer):
        raise ValueError(f"{buffer!r} is not a buffer of this emulated device")
    return buffer.live()
