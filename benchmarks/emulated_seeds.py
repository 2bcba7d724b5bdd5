"""How often the leaky store and its healthy twin fail under each arm, over many seeds, and whether a seed is a replay.

Usage: python -m benchmarks.emulated_seeds [--seeds 1000]
"""

from __future__ import annotations

import argparse
import sys
import time

from benchmarks.emulated_lab import EmulatedLab
from triage_bot.core.arms import Arm

MODULE = "kvrace_tests.specimens.emulated.test_leaky_store"
PREFIX = f"{MODULE.replace('.', '/')}.py::"
LEAKY = PREFIX + "test_store_orders_after_compute_write"
HEALTHY = PREFIX + "test_store_drained_orders_after_compute_write"
ARMS = ("as-is", "stretched", "drained", "stretched+drained")
SKEWED = ("skewed:compute_stream", "skewed:_store_stream")
REPLAYED_EVERY = 50
"""One seed in so many is run twice, to compare the traces."""


def failures(test: str, arm: str, seeds: int) -> int:
    return sum(EmulatedLab(MODULE, seed).run(test, Arm.parse(arm), 0).outcome.bad for seed in range(seeds))


def replays(seeds: int) -> tuple[int, int]:
    """How many seeds were run twice, and how many of those gave the same trace byte for byte."""
    compared = same = 0
    for seed in range(0, seeds, REPLAYED_EVERY):
        for arm in ARMS:
            traces = set()
            for _ in range(2):
                lab = EmulatedLab(MODULE, seed)
                lab.run(LEAKY, Arm.parse(arm), 0)
                traces.add(lab.trace().encode())
            compared += 1
            same += len(traces) == 1
    return compared, same


def promises(rates: dict[tuple[str, str], int], seeds: int) -> list[str]:
    """What the table must show and does not."""
    broken = []
    if not 0.01 <= rates["leaky", "as-is"] / seeds <= 0.10:
        broken.append("the leaky store does not fail as-is in 1 to 10 % of the seeds")
    if rates["leaky", "stretched"] / seeds < 0.99:
        broken.append("the leaky store does not fail stretched in 99 % of the seeds")
    if rates["leaky", "drained"] or rates["leaky", "stretched+drained"]:
        broken.append("the leaky store fails although it is drained")
    if any(count for (specimen, _), count in rates.items() if specimen == "healthy"):
        broken.append("the healthy store fails")
    return broken


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=1000)
    seeds = parser.parse_args().seeds
    began = time.monotonic()
    rates = {}
    print(f"{'specimen':10} {'arm':24} {'seeds':>6} {'failed':>7} {'rate':>7}")
    for specimen, test, arms in (("leaky", LEAKY, ARMS), ("healthy", HEALTHY, (*ARMS, *SKEWED))):
        for arm in arms:
            rates[specimen, arm] = count = failures(test, arm, seeds)
            print(f"{specimen:10} {arm:24} {seeds:6} {count:7} {count / seeds:7.1%}", flush=True)
    compared, same = replays(seeds)
    print(f"replays: {same} of {compared} traces are equal byte for byte")
    broken = promises(rates, seeds)
    if same != compared:
        broken.append("a seed that was run twice gave two traces")
    print(*(f"NOT AS PROMISED: {text}" for text in broken), sep="\n", end="\n" if broken else "")
    print(f"{time.monotonic() - began:.0f} s")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
