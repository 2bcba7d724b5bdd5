"""How long things take on the emulated device: ranges in nanoseconds, drawn from one seeded source.

The ranges follow what a data-centre GPU shows: a launch costs the host several microseconds, a kernel that waited for
another stream starts some ten microseconds after it may, and a shared runner now and then takes the processor away
from a thread for milliseconds. That last one is what lets leftover work meet a later phase at any offset.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

Nanoseconds = int
Range = tuple[int, int]
"""Lowest and highest value, both possible."""

MICROSECOND = 1_000
MILLISECOND = 1_000_000
SECOND = 1_000_000_000


@dataclass(frozen=True)
class Timing:
    """Ranges of one device and its host. Host costs first, then device latencies and durations."""

    launch: Range = (4_000, 9_000)
    """A thread enqueues one operation."""
    event_call: Range = (800, 2_000)
    """A thread records an event, makes a stream wait, or asks."""
    batch_launch: Range = (15_000, 40_000)
    """A thread prepares and enqueues a batched copy."""
    handover: Range = (15_000, 60_000)
    """A job reaches the thread that it was given to."""
    poll: Range = (40_000, 80_000)
    """A thread looks again."""
    wake: Range = (5_000, 15_000)
    """A thread goes on after the device became ready."""
    host_access: Range = (200, 500)
    """A thread reads or writes one block of host memory."""
    preempted: Range = (500_000, 14_000_000)
    """A thread loses the processor."""
    preemption_odds: int = 120
    """A thread loses the processor once in so many calls."""
    submit: Range = (3_000, 6_000)
    """From the call to the device's queue."""
    gap: Range = (900, 2_000)
    """Between two operations of one stream."""
    cross_stream: Range = (8_000, 22_000)
    """From the completion of an event to the streams that wait for it."""
    kernel: Range = (2_000, 4_000)
    """A small kernel."""
    batch: Range = (10_000, 22_000)
    """A batched copy of small blocks."""
    sleep_wander: int = 100
    """A sleep is off by at most one part in so many."""


class Dice:
    """All chance of one run, drawn from one seed in the order of the calls."""

    def __init__(self, seed: str, timing: Timing) -> None:
        self.timing = timing
        self.reseed(seed)

    def reseed(self, seed: str) -> None:
        """Go on with the draws of another seed."""
        self._random = random.Random(seed).random

    def draw(self, span: Range) -> Nanoseconds:
        """A value of the range."""
        low, high = span
        return low + int(self._random() * (high - low + 1))

    def host_step(self, span: Range) -> Nanoseconds:
        """What one call costs its thread, a lost processor included."""
        cost = self.draw(span)
        if self._random() * self.timing.preemption_odds < 1:
            cost += self.draw(self.timing.preempted)
        return cost

    def sleep(self, nanoseconds: Nanoseconds) -> Nanoseconds:
        """How long a sleep of that nominal length takes."""
        wander = nanoseconds // self.timing.sleep_wander
        return nanoseconds + self.draw((-wander, wander))
