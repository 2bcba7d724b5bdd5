"""CUDA through torch: the only place of the bot that imports torch, and only when it is asked to.

Meant for torch 2.6 up to, not including, 3; exercised on 2.11 (CUDA 13) and 2.13 (CPU build). Most hooks are private
to torch: each is looked for, and one that is missing is named by ``gaps()`` as ``hook-missing:NAME``.

What stays unseen: ``query()`` of a generic ``torch.Event`` or ``torch.Stream``, and where such a stream was created
(both are immutable types); launches from threads that torch or another library started in C++, unless they run
torch operations of an autograd graph; copies and kernels that go to the driver directly. The last two are named by
``gaps()`` as ``background-thread-launches`` and ``raw-driver-calls`` when a trial shows signs of them.
Under a dispatch mode ``torch.compile`` runs its functions eagerly, so trials that need launches do not see its kernels.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from triage_bot.core.machine import TorchFacts
    from triage_bot.lab.torch_runtime.runtime import TorchRuntime

FORKABLE_ENVIRONMENT = {"PYTORCH_NVML_BASED_CUDA_CHECK": "1"}
"""Set before a suite is collected, so that asking torch whether there is a device does not initialize CUDA."""

EAGER_ENVIRONMENT = {"CUDA_MODULE_LOADING": "EAGER"}
"""Set before CUDA is initialized, so that no first use of a kernel synchronizes the context on the way."""

_NOT_INITIALIZED = 3  # CUDA_ERROR_NOT_INITIALIZED


def available() -> bool:
    """Whether this process can run on CUDA through torch. Neither imports torch nor initializes CUDA."""
    torch = sys.modules.get("torch")
    if torch is None or getattr(torch.version, "cuda", None) is None:
        return False
    with _environment(FORKABLE_ENVIRONMENT):
        return bool(torch.cuda.is_available())


def create() -> TorchRuntime:
    """The runtime of this process, listening from here on. Call it once, in the process that runs the trial."""
    from triage_bot.lab.torch_runtime.cuda import CudaDevice  # noqa: PLC0415 - torch is imported on demand only
    from triage_bot.lab.torch_runtime.runtime import TorchRuntime  # noqa: PLC0415 - as above

    return TorchRuntime(CudaDevice())


def examine() -> TorchFacts | None:
    """What torch and its device can do here, found out by using them; None where torch is not installed."""
    if find_spec("torch") is None:
        return None
    from triage_bot.lab.torch_runtime import examination  # noqa: PLC0415 - torch is imported on demand only

    return examination.examine()


def warm() -> None:
    """Pay once, before forking, what the first use of torch's hooks costs. Does nothing unless torch is imported."""
    if "torch" in sys.modules:
        from triage_bot.lab.torch_runtime.launches import warm_up  # noqa: PLC0415 - torch is imported on demand only

        warm_up()


def fork_hazard() -> str:
    """Why a child forked from this process could not use CUDA; empty when it could."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda._is_in_bad_fork():
        return "this process is a fork of one that had initialized CUDA"
    if _driver_initialized():
        return "CUDA was initialized while the suite was imported or collected"
    return ""


def _driver_initialized() -> bool:
    """Whether any library of this process has initialized CUDA.

    The driver itself is asked, by a call that fails before its initialization and neither loads nor initializes it.
    Open files tell less: NVML opens the same devices and does no harm.
    """
    try:
        driver = ctypes.CDLL("libcuda.so.1", mode=os.RTLD_NOLOAD)
    except OSError:
        return False
    return bool(driver.cuDeviceGetCount(ctypes.byref(ctypes.c_int())) != _NOT_INITIALIZED)


@contextlib.contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
