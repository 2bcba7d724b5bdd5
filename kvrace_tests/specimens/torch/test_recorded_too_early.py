"""The consumer waits for the producer's event, but that was recorded between the producer's two writes.

The second write follows within microseconds, before the host has even launched the copy; so it looks right until the
producer runs slow. The missing order is within straight-line code: an ordering bug. The twin records after the last
write.
"""

from __future__ import annotations

import torch

TRUTH = {
    "test_consumer_follows_the_first_write": "ordering-bug",
    "test_consumer_follows_the_last_write": "healthy",
}

SIZE = 4096


def test_consumer_follows_the_first_write() -> None:
    data = torch.zeros(SIZE, device="cuda")
    seen = torch.zeros(SIZE, device="cuda")
    producer, consumer = torch.cuda.Stream(), torch.cuda.Stream()
    produced = torch.cuda.Event()
    torch.cuda.synchronize()
    with torch.cuda.stream(producer):
        data.fill_(1)
        produced.record()
        data.fill_(2)
    consumer.wait_event(produced)
    with torch.cuda.stream(consumer):
        seen.copy_(data)
    consumer.synchronize()
    assert seen.eq(2).all().item(), "the consumer saw a draft"


def test_consumer_follows_the_last_write() -> None:
    data = torch.zeros(SIZE, device="cuda")
    seen = torch.zeros(SIZE, device="cuda")
    producer, consumer = torch.cuda.Stream(), torch.cuda.Stream()
    produced = torch.cuda.Event()
    torch.cuda.synchronize()
    with torch.cuda.stream(producer):
        data.fill_(1)
        data.fill_(2)
        produced.record()
    consumer.wait_event(produced)
    with torch.cuda.stream(consumer):
        seen.copy_(data)
    consumer.synchronize()
    assert seen.eq(2).all().item(), "the consumer saw a draft"
