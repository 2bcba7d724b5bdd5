"""Tells of operations that enter a stream: torch operations through a dispatch mode, the few others by wrapping them.

A dispatch mode holds for one thread, so threads that start later are given one of their own.
"""

from __future__ import annotations

import functools
import importlib
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from triage_bot.lab.torch_runtime.device import Device
from triage_bot.lab.torch_runtime.hooks import wrap
from triage_bot.lab.torch_runtime.notices import Notices

_COMPILER = "torch._dynamo"

_LAUNCH_NOTHING = frozenset(
    f"aten::{name}"
    for name in (
        *("empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided", "empty_permuted"),
        *("record_stream", "resize_", "set_", "is_pinned", "_pin_memory", "pin_memory"),
    )
)


class _LaunchMode(TorchDispatchMode):  # type: ignore[misc]  # torch is untyped where mypy runs
    """Sees the operations of one thread."""

    supports_higher_order_operators = True

    def __init__(self, notices: Notices, device: Device) -> None:
        super().__init__()
        self._notices = notices
        self._device = device

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # True makes torch import its whole compiler with this class: seconds in every trial.
        return _COMPILER in sys.modules

    def __torch_dispatch__(
        self, func: Any, _types: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        index = _cuda_index(args, kwargs) if _launches(func) else None
        if index is None:
            return func(*args, **kwargs)
        with self._notices.launch(lambda: self._device.current(index if index >= 0 else None)):
            return func(*args, **kwargs)


def follow_launches(notices: Notices, device: Device) -> tuple[str, ...]:
    """Tell of launches from here on, on this thread and on those started later; returns the hooks that are missing."""

    def launching(original: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        with notices.launch(device.current):
            return original(*args, **kwargs)

    def running(original: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if kwargs.get("warmup"):
            return original(*args, **kwargs)
        return launching(original, *args, **kwargs)

    def compiling(original: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        _hide_from_compiler()
        return original(*args, **kwargs)

    def starting(original: Callable[..., None], thread: threading.Thread) -> None:
        thread.run = functools.partial(_run_followed, thread.run, notices, device)  # type: ignore[method-assign]  # so that subclasses count too
        original(thread)

    wanted = [
        (torch._C, "_cuda_sleep", launching),
        (torch.cuda.CUDAGraph, "replay", launching),
        (torch, "compile", compiling),
        (threading.Thread, "start", starting),
    ]
    triton = sys.modules.get("triton.runtime.jit")
    if triton is not None:
        wanted.append((triton.JITFunction, "run", running))
    missing = [name for owner, name, wrapper in wanted if not wrap(owner, name, wrapper)]
    _LaunchMode(notices, device).__enter__()
    notices.follow()
    return tuple(missing)


def warm_up() -> None:
    """Enter a mode once, so that what torch loads for it is loaded."""
    with TorchDispatchMode():
        pass


@functools.lru_cache(maxsize=1)
def _hide_from_compiler() -> None:
    """A compiled function would have torch compile the frames of our mode, too, and warn of what it finds there."""
    hide = importlib.import_module(_COMPILER).disable
    _LaunchMode.__torch_dispatch__ = hide(_LaunchMode.__torch_dispatch__)  # type: ignore[method-assign]  # torch looks there


def _run_followed(run: Callable[[], None], notices: Notices, device: Device) -> None:
    notices.follow()
    with _LaunchMode(notices, device):
        run()


@functools.lru_cache(maxsize=4096)
def _launches(func: Any) -> bool:
    """Whether an operation gives the device something to do: views and bare allocations do not.

    Only higher-order operations have no schema; each counts as one operation.
    """
    schema = getattr(func, "_schema", None)
    if schema is None:
        return True
    if schema.name in _LAUNCH_NOTHING:
        return False
    return not any(result.alias_info is not None and not result.alias_info.is_write for result in schema.returns)


def _cuda_index(args: Sequence[Any], kwargs: Mapping[str, Any]) -> int | None:
    """Index of the CUDA device that an operation runs on; -1 for the current one; None when it runs on none."""
    for value in _flat([*args, *kwargs.values()]):
        if isinstance(value, torch.Tensor) and value.is_cuda:
            return int(value.get_device())
    device = kwargs.get("device")
    if device is None or torch.device(device).type != "cuda":
        return None
    index = torch.device(device).index
    return -1 if index is None else int(index)


def _flat(values: Sequence[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from _flat(value)
        else:
            yield value
