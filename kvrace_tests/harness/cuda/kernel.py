"""A race between the blocks of one kernel, in Triton: many blocks add to one counter, with or without an atomic."""

from __future__ import annotations

from typing import Any

import triton
import triton.language as tl

BLOCKS = 4096
"""Blocks of a launch: enough that many run at the same time on any device."""


@triton.jit  # type: ignore[untyped-decorator]  # triton is untyped where mypy runs
def _count(counter, atomic: tl.constexpr):  # type: ignore[no-untyped-def]  # triton refuses names it does not know
    if atomic:
        tl.atomic_add(counter, 1)
    else:
        tl.store(counter, tl.load(counter, volatile=True) + 1)


def count(counter: Any, *, atomic: bool) -> None:
    """Let every block add 1 to ``counter``, a tensor of one integer on the device."""
    _count[(BLOCKS,)](counter, atomic)
