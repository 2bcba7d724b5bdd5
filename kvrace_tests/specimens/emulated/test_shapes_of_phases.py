"""The two phases of a race test as a generator yields them, as a recursion meets them, as lambdas in a list.

However they are called, the first returns with its writes queued on a stream that it made, and the second, whose
barrier is right, meets them: cross-phase contamination, leaked by the test. The twins end each phase with a wait for
its writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import pytest

from kvrace_tests.offload.streams import Streams

TRUTH = {
    "test_generator_of_phases": "cross-phase-contamination",
    "test_recursion_over_phases": "cross-phase-contamination",
    "test_list_of_lambdas": "cross-phase-contamination",
    "test_generator_of_settled_phases": "healthy",
    "test_recursion_over_settled_phases": "healthy",
    "test_list_of_settled_lambdas": "healthy",
}
LEAKER = "test"
LEAKING_STREAM = "writes"

SIZE = 32
ROUNDS = 30
WRITE_MS = 20.0
NAMES = ("control", "fixed")


@dataclass
class Harness:
    """Runs phases and remembers what they came to."""

    device: Streams
    settles: bool
    stale: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.data, self.saved = self.device.device_buffer(1, SIZE), self.device.host_buffer(1, SIZE)

    def phase(self, name: str) -> int:
        writes = self.device.new_stream("writes")
        copies = self.device.new_stream("copies")
        self.stale[name] = 0
        for i in range(ROUNDS):
            value = i + (101 if name == "fixed" else 1)
            writes.sleep(WRITE_MS)
            writes.fill(self.data, value)
            if name == "fixed":
                written = self.device.new_event()
                writes.record(written)
                copies.wait(written)
            copies.copy(self.saved, self.data, [(0, 0)])
            copies.synchronize()
            self.stale[name] += self.saved.peek(0) != bytes([value]) * SIZE
        if self.settles:
            writes.synchronize()
        return self.stale[name]

    def run(self) -> Iterator[tuple[str, int]]:
        for name in NAMES:
            yield name, self.phase(name)

    def run_all(self, names: Sequence[str]) -> int:
        if not names:
            return 0
        stale = self.phase(names[0])
        return stale + self.run_all(names[1:])

    def check(self) -> None:
        assert self.stale["control"] > 0, "vacuous control: saving without the barrier never raced"
        assert self.stale["fixed"] == 0, f"{self.stale['fixed']} saves were stale in spite of the barrier"


def _call_all(phases: Sequence[Callable[[], int]]) -> list[int]:
    return [phase() for phase in phases]


def _generate(device: Streams, *, settles: bool) -> None:
    harness = Harness(device, settles)
    ran = [name for name, _ in harness.run()]
    assert ran == list(NAMES)
    harness.check()


@pytest.mark.stream
def test_generator_of_phases(device: Streams) -> None:
    _generate(device, settles=False)


@pytest.mark.stream
def test_recursion_over_phases(device: Streams) -> None:
    harness = Harness(device, settles=False)
    harness.run_all(NAMES)
    harness.check()


@pytest.mark.stream
def test_list_of_lambdas(device: Streams) -> None:
    harness = Harness(device, settles=False)
    _call_all([lambda: harness.phase("control"), lambda: harness.phase("fixed")])
    harness.check()


@pytest.mark.stream
def test_generator_of_settled_phases(device: Streams) -> None:
    _generate(device, settles=True)


@pytest.mark.stream
def test_recursion_over_settled_phases(device: Streams) -> None:
    harness = Harness(device, settles=True)
    harness.run_all(NAMES)
    harness.check()


@pytest.mark.stream
def test_list_of_settled_lambdas(device: Streams) -> None:
    harness = Harness(device, settles=True)
    _call_all([lambda: harness.phase("control"), lambda: harness.phase("fixed")])
    harness.check()
