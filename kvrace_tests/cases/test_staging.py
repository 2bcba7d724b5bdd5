"""The host rewrites a page-locked staging buffer that a copy still reads (write after read)."""

from __future__ import annotations

import pytest

from kvrace_tests.cases.phases import (
    BLOCK_BYTES,
    BLOCKS,
    ROUNDS,
    Judge,
    Phase,
    PhaseResult,
    caches,
    settle,
    wrong_blocks,
)
from kvrace_tests.offload.ordering import KEEP_ALL, Edge, without
from kvrace_tests.offload.streams import Event, Streams

EDGE = Edge.STAGING_AFTER_COPY_READ


def drive(device: Streams, keep: frozenset[Edge], phase: Phase) -> PhaseResult:
    began = phase.begin(device)
    upload_stream = device.new_stream("upload_stream")
    wrong = 0
    with caches(device, keep) as kv:
        staging = device.host_buffer(1, BLOCK_BYTES)
        for i in range(ROUNDS):
            upload_stream.sleep(device.window_ms)
            previous: Event | None = None
            for block in range(BLOCKS):
                previous = kv.backend.upload(upload_stream, staging, phase.tag(i * BLOCKS + block), block, previous)
            seen = upload_stream.read(kv.on_device)
            for block in range(BLOCKS):
                found = seen[block * BLOCK_BYTES : (block + 1) * BLOCK_BYTES]
                wrong += wrong_blocks(found, phase.tag(i * BLOCKS + block))
        residual_ms = settle(device, upload_stream)
        staging.free()
    return PhaseResult(wrong, ROUNDS * BLOCKS, residual_ms, device.now() - began)


@pytest.mark.stream
def test_staging_rewrite_orders_after_copy_read(device: Streams, judge: Judge) -> None:
    control = drive(device, without(EDGE), Phase.CONTROL)
    fixed = drive(device, KEEP_ALL, Phase.FIXED)
    judge(EDGE, control, fixed, guard="the staging buffer was rewritten under its copy even with the wait")
