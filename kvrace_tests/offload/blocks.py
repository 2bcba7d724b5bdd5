"""Which blocks a transfer moves: pure arithmetic, checked before anything is enqueued."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kvrace_tests.offload.streams import BlockPair


@dataclass(frozen=True)
class TransferPlan:
    """A batch of block copies that may run in any order among themselves."""

    pairs: tuple[BlockPair, ...]


def plan_transfer(
    source: Sequence[int], target: Sequence[int], *, source_blocks: int, target_blocks: int
) -> TransferPlan:
    """Pair source and target blocks; ``ValueError`` when they do not fit the buffers or a target occurs twice."""
    if len(source) != len(target):
        raise ValueError(f"{len(source)} source blocks cannot be copied to {len(target)} target blocks")
    for blocks, limit, side in ((source, source_blocks, "source"), (target, target_blocks, "target")):
        outside = [block for block in blocks if not 0 <= block < limit]
        if outside:
            raise ValueError(f"{side} block {outside[0]} is outside the buffer of {limit} blocks")
    if len(set(target)) != len(target):
        raise ValueError("a target block occurs twice: copies of one batch are unordered")
    return TransferPlan(tuple(zip(source, target, strict=True)))
