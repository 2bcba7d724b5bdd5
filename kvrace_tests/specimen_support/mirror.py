"""Keeps two copies of a tensor, one on the GPU and one in pinned memory, each made on a stream of its own."""

from __future__ import annotations

import torch


class Mirror:
    """Its defect, if it is one: ``push`` waits for the copy on the GPU only, and nothing says so."""

    def __init__(self, like: torch.Tensor) -> None:
        self.near = torch.empty_like(like)
        self.far = torch.empty(like.shape, dtype=like.dtype, pin_memory=True)
        self._near_stream = torch.cuda.Stream()
        self._far_stream = torch.cuda.Stream()

    def push(self, data: torch.Tensor) -> None:
        """Copy ``data``, as the current stream leaves it, to both places."""
        ready = torch.cuda.current_stream().record_event()
        for stream, replica in ((self._near_stream, self.near), (self._far_stream, self.far)):
            stream.wait_event(ready)
            with torch.cuda.stream(stream):
                replica.copy_(data, non_blocking=True)
        self._near_stream.synchronize()

    def flush(self) -> None:
        """Wait for everything that was pushed."""
        self._near_stream.synchronize()
        self._far_stream.synchronize()
