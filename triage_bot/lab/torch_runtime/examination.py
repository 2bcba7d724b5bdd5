"""Looks at torch, its hooks and its device, by using them: for a person who wants to know what works here."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Sequence
from dataclasses import replace

import torch

from triage_bot.core.machine import TorchFacts
from triage_bot.lab import torch_runtime
from triage_bot.lab.torch_runtime.cuda import CudaDevice, driver_version
from triage_bot.lab.torch_runtime.runtime import TorchRuntime

_FIRST, _BELOW = (2, 6), (3, 0)
_FORK_SECONDS = 20.0
_POLL_SECONDS = 0.01


class _Nobody:
    """An observer that is told and does nothing."""

    def before_launch(self, stream: int) -> None: ...
    def after_launch(self, stream: int) -> None: ...
    def after_wait(self, stream: int) -> None: ...
    def after_host_sync(self) -> None: ...
    def after_query(self, subject: int, done: bool) -> None: ...


def examine() -> TorchFacts:
    """Facts about this torch. Where there is a device: forks once, then initializes CUDA and leaves its hooks set."""
    facts = TorchFacts(
        version=str(torch.__version__),
        supported=_FIRST <= _numbers(str(torch.__version__)) < _BELOW,
        supported_range=f"{_text(_FIRST)} up to, not including, {_text(_BELOW)}",
    )
    return _with_device(facts) if torch_runtime.available() else facts


def _with_device(facts: TorchFacts) -> TorchFacts:
    fork_seconds = _forked_use()
    device = CudaDevice()
    runtime = TorchRuntime(device)
    runtime.begin(_Nobody(), ordinal=0, launches=True)
    torch.cuda.init()
    return replace(
        facts,
        missing_hooks=tuple(gap.removeprefix("hook-missing:") for gap in runtime.gaps()),
        devices=tuple(str(torch.cuda.get_device_name(index)) for index in range(torch.cuda.device_count())),
        driver=driver_version(),
        fork_seconds=fork_seconds,
        cycles_per_second=device.cycles_per_second,
    )


def _forked_use() -> float | None:
    begun = time.monotonic()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            torch.zeros(1, device="cuda").add_(1).item()
            status = 0
        finally:
            os._exit(status)
    while time.monotonic() - begun < _FORK_SECONDS:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return time.monotonic() - begun if status == 0 else None
        time.sleep(_POLL_SECONDS)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:2])


def _text(version: Sequence[int]) -> str:
    return ".".join(str(part) for part in version)
