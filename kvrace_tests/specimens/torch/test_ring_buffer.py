"""Three slots go round between a quick producer and a slow consumer; the producer waits for one that was free anyway.

It should wait for the consumer of three rounds ago and waits for that of four, off by one: it writes a slot while the
consumer, ten milliseconds late, has yet to read it. All in one loop, with no host in between: an ordering bug. The twin
waits for the right one.
"""

from __future__ import annotations

import torch

TRUTH = {
    "test_ring_waits_one_round_short": "ordering-bug",
    "test_ring_waits_for_its_slot": "healthy",
}

SIZE = 16384
SLOTS = 3
ROUNDS = 12
CONSUME_CYCLES = 20_000_000  # about 10 ms


def _run_ring(lag: int) -> list[int]:
    ring = torch.zeros((SLOTS, SIZE), dtype=torch.int32, device="cuda")
    seen = torch.zeros((ROUNDS, SIZE), dtype=torch.int32, device="cuda")
    producer = torch.cuda.Stream()
    consumer = torch.cuda.Stream()
    consumed = [torch.cuda.Event() for _ in range(ROUNDS)]
    torch.cuda.synchronize()
    for i in range(ROUNDS):
        if i >= lag:
            producer.wait_event(consumed[i - lag])
        with torch.cuda.stream(producer):
            ring[i % SLOTS].fill_(i)
        consumer.wait_stream(producer)
        with torch.cuda.stream(consumer):
            torch.cuda._sleep(CONSUME_CYCLES)
            seen[i].copy_(ring[i % SLOTS])
            consumed[i].record()
    consumer.synchronize()
    return [i for i, row in enumerate(seen.cpu()) if not bool(row.eq(i).all())]


def test_ring_waits_one_round_short() -> None:
    wrong = _run_ring(lag=SLOTS + 1)
    assert not wrong, f"{len(wrong)} rounds read another round's data"


def test_ring_waits_for_its_slot() -> None:
    wrong = _run_ring(lag=SLOTS)
    assert not wrong, f"{len(wrong)} rounds read another round's data"
