"""A CUDA graph with a branch onto a second stream, captured once and replayed: healthy.

Anything that touches the device during the capture breaks it, and a delay put into it would be replayed each time.
The replays are ordered with the stream that reads the result.
"""

from __future__ import annotations

import torch

TRUTH = {"test_replayed_graph_adds_up": "healthy"}

SIZE = 1024
REPLAYS = 5


def test_replayed_graph_adds_up() -> None:
    left, right, total = (torch.zeros(SIZE, device="cuda") for _ in range(3))
    branch = torch.cuda.Stream()
    reader = torch.cuda.Stream()
    torch.cuda.synchronize()

    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        trunk = torch.cuda.current_stream()
        branch.wait_stream(trunk)
        with torch.cuda.stream(branch):
            right.add_(1)
        left.add_(1)
        trunk.wait_stream(branch)
        torch.add(left, right, out=total)

    replayer = torch.cuda.current_stream()
    for i in range(REPLAYS):
        graph.replay()
        reader.wait_stream(replayer)
        with torch.cuda.stream(reader):
            seen = total.clone()
        reader.synchronize()
        assert seen.cpu().eq(2 * (i + 1)).all(), f"replay {i + 1} added wrong"
        replayer.wait_stream(reader)
