"""Lets each forked child draw as a fresh interpreter would, from Python's and numpy's own generators.

A fork copies numpy's generator, so that all trials would draw the same numbers and a flake would look certain; and
Python draws anew after a fork, so that a suite which seeds it at import would lose its seed. What a suite keeps in
generators of its own stays as it was copied, and so does the order of sets, which one interpreter draws for all.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from typing import Any


class Chance:
    """Watches from before the suite is imported whether it seeds Python's generator."""

    def __init__(self) -> None:
        self._seeded = False
        self._seed: Callable[..., None] = random.seed
        self._state: tuple[Any, ...] | None = None
        random.seed = self._told

    def _told(self, *arguments: Any, **named: Any) -> None:
        self._seeded = True
        self._seed(*arguments, **named)

    def collected(self) -> None:
        """The suite is imported: remember what it seeded."""
        random.seed = self._seed
        self._state = random.getstate() if self._seeded else None

    def forked(self) -> None:
        """In a child: go on where the suite seeded, and draw anew where it did not."""
        if self._state is not None:
            random.setstate(self._state)
        numpy = sys.modules.get("numpy.random")
        # A generator that was seeded by hand no longer has a sequence of seeds.
        if numpy is not None and _sequence(numpy.mtrand._rand._bit_generator) is not None:
            numpy.seed()


def _sequence(generator: object) -> object | None:
    """Where numpy's legacy generator got its entropy; before numpy 1.25 the name was private."""
    return getattr(generator, "seed_seq", None) or getattr(generator, "_seed_seq", None)
