"""A stream reads what another one writes and nobody tells it to wait, in straight-line code.

The fill takes microseconds and the host needs longer to launch the copy, so it looks right. Slow the filling stream
and the copy is first: an ordering bug. The ``.item()`` of the second test waits for the default stream and orders
neither of the two, so the bug is the same; whoever drains the whole device there would hide it. The twins wait.
"""

from __future__ import annotations

import torch

TRUTH = {
    "test_reader_sees_the_fill": "ordering-bug",
    "test_reader_sees_the_fill_behind_an_item": "ordering-bug",
    "test_waiting_reader_sees_the_fill": "healthy",
    "test_waiting_reader_sees_the_fill_behind_an_item": "healthy",
}

SIZE = 1024


def test_reader_sees_the_fill() -> None:
    data = torch.zeros(SIZE, device="cuda")
    seen = torch.zeros(SIZE, device="cuda")
    writer = torch.cuda.Stream()
    reader = torch.cuda.Stream()
    torch.cuda.synchronize()
    with torch.cuda.stream(writer):
        data.fill_(7)
    with torch.cuda.stream(reader):
        seen.copy_(data)
    reader.synchronize()
    assert seen.cpu().eq(7).all(), "the reader overtook the fill"


def test_reader_sees_the_fill_behind_an_item() -> None:
    data = torch.zeros(SIZE, device="cuda")
    seen = torch.zeros(SIZE, device="cuda")
    lengths = torch.ones(SIZE, dtype=torch.int64, device="cuda")
    assert lengths.sum().item() == SIZE  # the first one pins memory, which synchronizes the device
    writer = torch.cuda.Stream()
    reader = torch.cuda.Stream()
    torch.cuda.synchronize()
    with torch.cuda.stream(writer):
        data.fill_(7)
    length = int(lengths.sum().item())
    with torch.cuda.stream(reader):
        seen[:length].copy_(data[:length])
    reader.synchronize()
    assert seen.cpu().eq(7).all(), "the reader overtook the fill"


def test_waiting_reader_sees_the_fill() -> None:
    data = torch.zeros(SIZE, device="cuda")
    seen = torch.zeros(SIZE, device="cuda")
    writer = torch.cuda.Stream()
    reader = torch.cuda.Stream()
    torch.cuda.synchronize()
    with torch.cuda.stream(writer):
        data.fill_(7)
    reader.wait_stream(writer)
    with torch.cuda.stream(reader):
        seen.copy_(data)
    reader.synchronize()
    assert seen.cpu().eq(7).all(), "the reader overtook the fill"


def test_waiting_reader_sees_the_fill_behind_an_item() -> None:
    data = torch.zeros(SIZE, device="cuda")
    seen = torch.zeros(SIZE, device="cuda")
    lengths = torch.ones(SIZE, dtype=torch.int64, device="cuda")
    assert lengths.sum().item() == SIZE  # the first one pins memory, which synchronizes the device
    writer = torch.cuda.Stream()
    reader = torch.cuda.Stream()
    torch.cuda.synchronize()
    with torch.cuda.stream(writer):
        data.fill_(7)
    length = int(lengths.sum().item())
    reader.wait_stream(writer)
    with torch.cuda.stream(reader):
        seen[:length].copy_(data[:length])
    reader.synchronize()
    assert seen.cpu().eq(7).all(), "the reader overtook the fill"
