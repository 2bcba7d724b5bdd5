"""Keeps the past states of a tensor, each copied aside on a stream of its own."""

from __future__ import annotations

import torch


class History:
    """Its defect: a copy follows the caller's stream, but the caller's stream does not follow the copy."""

    def __init__(self, like: torch.Tensor, length: int) -> None:
        self._rows = torch.zeros((length, *like.shape), dtype=like.dtype, device=like.device)
        self._aside = torch.cuda.Stream()
        self._aside.wait_stream(torch.cuda.current_stream())
        self._length = 0

    def append(self, state: torch.Tensor) -> None:
        """Copy ``state``, as the current stream leaves it."""
        self._aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self._aside):
            self._rows[self._length].copy_(state)
        self._length += 1

    def fence(self) -> None:
        """Let the current stream go on after the copies so far."""
        torch.cuda.current_stream().wait_stream(self._aside)

    def states(self) -> torch.Tensor:
        """All of them, on the host."""
        self._aside.synchronize()
        return self._rows[: self._length].cpu()
