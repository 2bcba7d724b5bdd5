"""A captured graph reads a static input that a feeder stream writes anew for each replay.

The replay follows the feeder. But in the first test nothing makes the feeder wait until the replay has read, and a
replay takes ten milliseconds before it does: an ordering bug. The twin orders both ways.
"""

from __future__ import annotations

import torch

TRUTH = {
    "test_feeder_runs_ahead_of_the_replay": "ordering-bug",
    "test_feeder_follows_the_replay": "healthy",
}

SIZE = 4096
REPLAYS = 5
CYCLES = 20_000_000  # about 10 ms


def _fed(*, follow: bool) -> float:
    static, total = torch.zeros(SIZE, device="cuda"), torch.zeros(SIZE, device="cuda")
    feeder = torch.cuda.Stream()
    torch.cuda._sleep(1)  # loads the kernels
    total.add_(static)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        torch.cuda._sleep(CYCLES)
        total.add_(static)
    trunk = torch.cuda.current_stream()
    for i in range(REPLAYS):
        with torch.cuda.stream(feeder):
            static.fill_(i + 1)
        trunk.wait_stream(feeder)
        graph.replay()
        if follow:
            feeder.wait_stream(trunk)
    return float(total[0].item())


def test_feeder_runs_ahead_of_the_replay() -> None:
    total = _fed(follow=False)
    assert total == REPLAYS * (REPLAYS + 1) / 2, f"the replays added up to {total}"


def test_feeder_follows_the_replay() -> None:
    total = _fed(follow=True)
    assert total == REPLAYS * (REPLAYS + 1) / 2, f"the replays added up to {total}"
