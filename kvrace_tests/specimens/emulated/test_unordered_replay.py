"""A captured graph is replayed while a side stream may still write the graph's input.

The graph keeps its own order, but no edge leads into it from the side stream: an ordering bug, which shows when that
stream is slow. The twin waits before it replays, and must stay well although it captures.
"""

from __future__ import annotations

import pytest

from kvrace_tests.offload.streams import Streams

TRUTH = {
    "test_replay_uses_new_input": "ordering-bug",
    "test_waiting_replay_uses_new_input": "healthy",
}

SIZE = 32


def _replay(device: Streams, *, ordered: bool) -> bytes:
    graph_stream = device.new_stream("graph")
    input_stream = device.new_stream("input")
    source, result = device.device_buffer(1, SIZE), device.device_buffer(1, SIZE)
    pinned = device.host_buffer(1, SIZE)
    pinned.poke(0, 8)
    with device.capture(graph_stream) as graph:
        graph_stream.copy(result, source, [(0, 0)])
    input_stream.copy(source, pinned, [(0, 0)])
    written = device.new_event()
    input_stream.record(written)
    if ordered:
        graph_stream.wait(written)
    graph_stream.replay(graph)
    return graph_stream.read(result)


@pytest.mark.stream
def test_replay_uses_new_input(device: Streams) -> None:
    seen = _replay(device, ordered=False)
    assert seen == bytes([8]) * SIZE, "the replay used an old input"


@pytest.mark.stream
def test_waiting_replay_uses_new_input(device: Streams) -> None:
    seen = _replay(device, ordered=True)
    assert seen == bytes([8]) * SIZE, "the replay used an old input"
