"""A context manager owns the two streams of a phase; leaving it closes the books and waits for nothing.

The control phase never waits for its writes, so it leaves a hundred of them queued, 4 ms apart. They go on while the
next writer drives the same tensor: cross-phase contamination, leaked by the test, whose class made that stream. The
barrier of the second phase is right. The twin's ``__exit__`` waits for both streams.
"""

from __future__ import annotations

import torch

TRUTH = {
    "test_barrier_of_a_second_writer": "cross-phase-contamination",
    "test_barrier_of_a_second_tidy_writer": "healthy",
}
LEAKER = "test"
LEAKING_STREAM = "_write_stream"

SIZE = 65536
ROUNDS = 10
WRITES = 12  # a round: work for longer than a host that wakes late
WRITE_CYCLES = 8_000_000  # about 4 ms


class Writer:
    def __init__(self, tensor: torch.Tensor, mirror: torch.Tensor) -> None:
        self._tensor, self._mirror = tensor, mirror
        self._write_stream = torch.cuda.Stream()
        self._read_stream = torch.cuda.Stream()
        self.stale = 0

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *exc: object) -> None:
        self._read_stream.synchronize()

    def drive(self, rounds: int, offset: int, *, barrier: bool) -> int:
        for i in range(rounds):
            with torch.cuda.stream(self._write_stream):
                for _ in range(WRITES):
                    torch.cuda._sleep(WRITE_CYCLES)
                    self._tensor.fill_(offset + i)
            if barrier:
                self._read_stream.wait_stream(self._write_stream)
            with torch.cuda.stream(self._read_stream):
                self._mirror.copy_(self._tensor, non_blocking=True)
            self._read_stream.synchronize()
            self.stale += not bool(self._mirror.eq(offset + i).all())
        return self.stale


class TidyWriter(Writer):
    def __exit__(self, *exc: object) -> None:
        super().__exit__(*exc)
        self._write_stream.synchronize()


def _tensors() -> tuple[torch.Tensor, torch.Tensor]:
    tensor = torch.zeros(SIZE, dtype=torch.int32, device="cuda")
    mirror = torch.zeros(SIZE, dtype=torch.int32, pin_memory=True)
    torch.cuda.synchronize()
    return tensor, mirror


def test_barrier_of_a_second_writer() -> None:
    tensor, mirror = _tensors()
    with Writer(tensor, mirror) as writer:
        control = writer.drive(ROUNDS, 1000, barrier=False)
    with Writer(tensor, mirror) as writer:
        fixed = writer.drive(5, 2000, barrier=True)
    assert control > 0, "vacuous control: the control phase never raced"
    assert fixed == 0, f"{fixed} reads were stale in spite of the barrier"


def test_barrier_of_a_second_tidy_writer() -> None:
    tensor, mirror = _tensors()
    with TidyWriter(tensor, mirror) as writer:
        control = writer.drive(ROUNDS, 1000, barrier=False)
    with TidyWriter(tensor, mirror) as writer:
        fixed = writer.drive(5, 2000, barrier=True)
    assert control > 0, "vacuous control: the control phase never raced"
    assert fixed == 0, f"{fixed} reads were stale in spite of the barrier"
