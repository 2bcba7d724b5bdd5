"""What goes wrong on real devices and outlives the test that caused it; only on the emulated device."""

from __future__ import annotations

from kvrace_tests.harness.emulator import Emulator
from kvrace_tests.harness.run import DeviceError, Operation
from kvrace_tests.offload.streams import Stream, Streams

ASSERTION_FAILED = "CUDA error: device-side assert triggered"
ALREADY_MAPPED = "CUDA error: part or all of the requested memory range is already mapped"


def assert_on_device(device: Streams, stream: Stream, *, holds: bool) -> None:
    """Enqueue a kernel with an assertion. When it does not hold, every later call of the process fails."""
    emulator = _emulator(device)

    def run(second: bool) -> None:
        if second and not holds:
            emulator.run.sticky = ASSERTION_FAILED

    timing = emulator.timing
    operation = Operation("assert", timing.launch, lambda dice: dice.draw(timing.kernel), apply=run)
    emulator.launch(emulator.own(stream).lane, operation)


def register_host(device: Streams, region: bytearray) -> None:
    """Page-lock memory that the program owns; refused when it is page-locked already."""
    emulator = _emulator(device)
    if id(region) in emulator.registered:
        raise DeviceError(ALREADY_MAPPED)
    emulator.registered.add(id(region))


def unregister_host(device: Streams, region: bytearray) -> None:
    """Let the memory be pageable again."""
    _emulator(device).registered.discard(id(region))


def _emulator(device: Streams) -> Emulator:
    if not isinstance(device, Emulator):
        raise ValueError("faults are injected into the emulated device only")
    return device
