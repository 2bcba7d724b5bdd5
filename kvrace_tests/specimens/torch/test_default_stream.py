"""The control phase runs on the default stream, the fixed one on a stream of its own, and only copies are waited for.

The unguarded control leaves its writes on the default stream. Streams of torch do not wait for that one, so the writes
go on in the middle of the fixed phase: cross-phase contamination. Nobody made the default stream, but only the test
launched on it: the leak is the test's. The twin waits for the stream that a phase was given.
"""

from __future__ import annotations

import torch

TRUTH = {
    "test_default_stream_then_own": "cross-phase-contamination",
    "test_settled_default_stream_then_own": "healthy",
}
LEAKER = "test"
LEAKING_STREAM = "default"

SIZE = 65536
WRITES = 12  # a round: work for longer than a host that wakes late
WRITE_CYCLES = 8_000_000  # about 4 ms


def _stale(stream: torch.cuda.Stream, gpu: torch.Tensor, cpu: torch.Tensor, values: range, *, barrier: bool) -> int:
    copies = torch.cuda.Stream()
    stale = 0
    for value in values:
        with torch.cuda.stream(stream):
            for _ in range(WRITES):
                torch.cuda._sleep(WRITE_CYCLES)
                gpu.fill_(value)
        if barrier:
            copies.wait_stream(stream)
        with torch.cuda.stream(copies):
            cpu.copy_(gpu, non_blocking=True)
        copies.synchronize()
        stale += not bool(cpu.eq(value).all())
    return stale


def test_default_stream_then_own() -> None:
    gpu = torch.zeros(SIZE, dtype=torch.int32, device="cuda")
    cpu = torch.zeros(SIZE, dtype=torch.int32, pin_memory=True)
    torch.cuda.synchronize()
    control = _stale(torch.cuda.current_stream(), gpu, cpu, range(100, 110), barrier=False)
    fixed = _stale(torch.cuda.Stream(), gpu, cpu, range(500, 505), barrier=True)
    assert control > 0, "vacuous control: the control phase never raced"
    assert fixed == 0, f"the barrier does not hold: {fixed} stale"


def test_settled_default_stream_then_own() -> None:
    gpu = torch.zeros(SIZE, dtype=torch.int32, device="cuda")
    cpu = torch.zeros(SIZE, dtype=torch.int32, pin_memory=True)
    torch.cuda.synchronize()
    control = _stale(torch.cuda.current_stream(), gpu, cpu, range(100, 110), barrier=False)
    torch.cuda.current_stream().synchronize()
    fixed = _stale(torch.cuda.Stream(), gpu, cpu, range(500, 505), barrier=True)
    assert control > 0, "vacuous control: the control phase never raced"
    assert fixed == 0, f"the barrier does not hold: {fixed} stale"
