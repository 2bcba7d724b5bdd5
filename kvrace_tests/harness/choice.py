"""Which device a session runs on. Importing torch is left until somebody needs it, initializing CUDA even longer."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from kvrace_tests.harness.calibration import Calibrated

CUDA_MODULE = "kvrace_tests.harness.cuda"
"""Imports torch, so it is only named here."""

DRIVER_FILES = (Path("/dev/nvidiactl"), Path("/dev/dxg"))
"""One of these is there when a CUDA driver is loaded; the second under WSL."""


def asked(config: pytest.Config) -> str:
    """The runtime that was asked for: ``auto``, ``cuda`` or ``emulated``.

    A triage tool that runs the suite may ask in its own words; the suite's word goes first.
    """
    word = str(config.getoption("kvrace_runtime"))
    return word if word != "auto" else str(config.getoption("triage_runtime", "auto"))


def emulated(config: pytest.Config) -> bool:
    """Whether the session runs in virtual time: as asked, else when no CUDA device can be used."""
    word = asked(config)
    return word == "emulated" or (word == "auto" and not _cuda_is_usable())


def _cuda_is_usable() -> bool:
    if not any(file.exists() for file in DRIVER_FILES):
        return False
    try:
        return bool(_cuda().available())
    except ImportError:
        return False


def require_cuda(config: pytest.Config) -> None:
    """``pytest.UsageError`` when CUDA was asked for and there is no device. Does not initialize CUDA."""
    if asked(config) != "cuda":
        return
    option = "--kvrace-runtime" if config.getoption("kvrace_runtime") == "cuda" else "--runtime"
    try:
        usable = bool(_cuda().available())
    except ImportError as error:
        raise pytest.UsageError(
            f"{option} cuda needs torch and cuda-bindings ({error}): install the extra 'cuda', "
            f"or choose {option} emulated"
        ) from error
    if not usable:
        raise pytest.UsageError(f"{option} cuda finds no CUDA device: check the driver, or choose {option} emulated")


def cuda_device(config: pytest.Config) -> Calibrated:
    """The CUDA device of this process, initialized."""
    device: Calibrated = _cuda().CudaStreams(batched=config.getoption("kvrace_copies") == "batched")
    return device


def _cuda() -> ModuleType:
    # torch then asks NVML whether there is a device, and a process that only collected can still be forked.
    os.environ.setdefault("PYTORCH_NVML_BASED_CUDA_CHECK", "1")
    return import_module(CUDA_MODULE)
