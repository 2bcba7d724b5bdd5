"""The code under test returns with work of its own in flight.

``Mirror.push`` waits for one of its two copies. The test writes the tensor anew, and the slower copy, 64 MiB over the
bus, picks that up. The leftover work crosses a statement's end: cross-phase contamination. But its stream is the
library's: whether it may return early is a question of its contract, which no experiment can answer. The twin calls
``flush`` first.
"""

from __future__ import annotations

import torch

from kvrace_tests.specimen_support.mirror import Mirror

TRUTH = {
    "test_mirror_keeps_what_was_pushed": "cross-phase-contamination",
    "test_flushed_mirror_keeps_what_was_pushed": "healthy",
}
LEAKER = "code-under-test"
LEAKING_STREAM = "_far_stream"

SIZE = 16 * 1024 * 1024


def test_mirror_keeps_what_was_pushed() -> None:
    data = torch.ones(SIZE, dtype=torch.int32, device="cuda")
    mirror = Mirror(data)
    torch.cuda.synchronize()
    mirror.push(data)
    data.fill_(2)
    torch.cuda.synchronize()
    assert mirror.near.cpu().eq(1).all(), "the near copy changed"
    assert mirror.far.eq(1).all(), "the far copy changed"


def test_flushed_mirror_keeps_what_was_pushed() -> None:
    data = torch.ones(SIZE, dtype=torch.int32, device="cuda")
    mirror = Mirror(data)
    torch.cuda.synchronize()
    mirror.push(data)
    mirror.flush()
    data.fill_(2)
    torch.cuda.synchronize()
    assert mirror.near.cpu().eq(1).all(), "the near copy changed"
    assert mirror.far.eq(1).all(), "the far copy changed"
