"""Memory that a CUDA device can reach: its own, and page-locked memory of the host."""

from __future__ import annotations

import ctypes
from typing import Any

import torch

from kvrace_tests.offload.streams import Buffer

_PINNED: dict[int, torch.Tensor] = {}
"""By address, until it is freed. Memory whose owner forgot it stays locked, so nobody else may get it: they could not
lock it again. Unlocking it for them would wait for the device, and hide what was left running there."""


class CudaBuffer:
    """Blocks on the device or in page-locked host memory, as rows of a tensor."""

    def __init__(self, tensor: torch.Tensor, *, pinned: bool) -> None:
        self._tensor: torch.Tensor | None = tensor
        self.blocks: int = tensor.shape[0]
        self.block_bytes: int = tensor.shape[1]
        self._pinned = pinned
        if pinned:
            # torch's own pinned memory stays page-locked in its cache; a suite must leave nothing behind.
            _check(torch.cuda.cudart().cudaHostRegister(tensor.data_ptr(), tensor.numel(), 0))
            _PINNED[tensor.data_ptr()] = tensor

    @property
    def tensor(self) -> torch.Tensor:
        """The memory; an error once it was freed."""
        if self._tensor is None:
            raise ValueError("this buffer was freed")
        return self._tensor

    def free(self) -> None:
        """See ``Buffer``."""
        if self._tensor is not None and self._pinned:
            _check(torch.cuda.cudart().cudaHostUnregister(self._tensor.data_ptr()))
            del _PINNED[self._tensor.data_ptr()]
        self._tensor = None

    def peek(self, block: int) -> bytes:
        """See ``HostBuffer``."""
        return ctypes.string_at(self.address(block), self.block_bytes)

    def poke(self, block: int, value: int) -> None:
        """See ``HostBuffer``."""
        ctypes.memset(self.address(block), value, self.block_bytes)

    def address(self, block: int) -> int:
        """Where a block begins."""
        return int(self.tensor.data_ptr()) + block * self.block_bytes


def cuda(buffer: Buffer) -> CudaBuffer:
    """A buffer that one of our devices made."""
    assert isinstance(buffer, CudaBuffer), "a buffer of another device"
    return buffer


def _check(error: Any) -> None:
    torch.cuda.check_error(int(error))
