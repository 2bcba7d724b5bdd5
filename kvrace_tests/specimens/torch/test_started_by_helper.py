"""A helper settles the device, launches a write and comes back; the test reads without waiting for it.

The helper's synchronization comes before its launch and says nothing about it: leaving the write in flight is what a
helper called ``_start`` is for. The caller forgot to order its read: an ordering bug. The twin waits.
"""

from __future__ import annotations

import torch

TRUTH = {
    "test_reader_of_a_started_write": "ordering-bug",
    "test_waiting_reader_of_a_started_write": "healthy",
}

SIZE = 4096


def _start(data: torch.Tensor, writer: torch.cuda.Stream) -> None:
    torch.cuda.synchronize()
    with torch.cuda.stream(writer):
        data.fill_(7)


def test_reader_of_a_started_write() -> None:
    data, seen = torch.zeros(SIZE, device="cuda"), torch.zeros(SIZE, device="cuda")
    writer, reader = torch.cuda.Stream(), torch.cuda.Stream()
    _start(data, writer)
    with torch.cuda.stream(reader):
        seen.copy_(data)
    reader.synchronize()
    assert seen.eq(7).all().item(), "the reader overtook the write"


def test_waiting_reader_of_a_started_write() -> None:
    data, seen = torch.zeros(SIZE, device="cuda"), torch.zeros(SIZE, device="cuda")
    writer, reader = torch.cuda.Stream(), torch.cuda.Stream()
    _start(data, writer)
    reader.wait_stream(writer)
    with torch.cuda.stream(reader):
        seen.copy_(data)
    reader.synchronize()
    assert seen.eq(7).all().item(), "the reader overtook the write"
