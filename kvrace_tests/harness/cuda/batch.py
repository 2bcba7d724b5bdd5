"""Batched copies by one driver call: what offload engines use, since one call per block costs more than the copy.

Needs a driver of CUDA 12.8 or later and cuda-bindings. The call cannot be captured in a graph and refuses the legacy
default stream; whoever uses it must fall back to single copies there.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from importlib.util import find_spec

_SINCE = 12080  # the first CUDA version whose driver has the call, and the signature that we ask for
_SOURCE_ORDER = {"stream": 1, "any": 3}

Copy = tuple[int, int, int]
"""Destination address, source address, bytes."""
BatchCopy = Callable[[Sequence[Copy], str, int], None]
"""Copies, ``stream`` or ``any`` (see ``SourceOrder``), and the driver's pointer of a stream."""


class _Attributes(ctypes.Structure):
    """``CUmemcpyAttributes``. The hints are for managed memory and stay zero."""

    _fields_ = (
        ("source_order", ctypes.c_uint),
        ("source_hint", ctypes.c_uint * 2),
        ("target_hint", ctypes.c_uint * 2),
        ("flags", ctypes.c_uint),
    )


def batch_copy() -> BatchCopy | None:
    """The driver's batched copy; None where the driver or cuda-bindings lack it."""
    if find_spec("cuda") is None or find_spec("cuda.bindings") is None:
        return None
    from cuda.bindings import driver  # noqa: PLC0415 - an optional package

    # A driver that is too old answers success and no address.
    _, address, _ = driver.cuGetProcAddress(b"cuMemcpyBatchAsync", _SINCE, 0)
    if not address:
        return None
    call = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 3, ctypes.c_size_t, *[ctypes.c_void_p] * 2,
                            ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p)(int(address))  # fmt: skip

    def copy(copies: Sequence[Copy], order: str, stream: int) -> None:
        if not int(driver.cuCtxGetCurrent()[1]):
            # A thread that made no call of the CUDA runtime yet has no context.
            driver.cuCtxSetCurrent(driver.cuStreamGetCtx(stream)[1])
        count = len(copies)
        targets, sources, sizes = ((ctypes.c_size_t * count)(*column) for column in zip(*copies, strict=True))
        attributes = _Attributes(source_order=_SOURCE_ORDER[order])
        first, failed = ctypes.c_size_t(0), ctypes.c_size_t(0)
        error = call(targets, sources, sizes, count, ctypes.addressof(attributes), ctypes.addressof(first), 1,
                     ctypes.addressof(failed), stream)  # fmt: skip
        if error:
            raise RuntimeError(f"cuMemcpyBatchAsync failed with CUDA error {error} at copy {failed.value}")

    return copy
