"""Whose code launches an operation: the suite's, or that of the code under test.

A stream that the test made may be handed to the code under test. What that leaves on it is not the test's leak, and a
wait added to the test would hide a real bug. And the default stream was made by nobody: it is the test's leak if only
the test launched there.
"""

from __future__ import annotations

import sys
import sysconfig
from enum import Enum, auto, unique
from pathlib import Path
from types import FrameType

import triage_bot
from triage_bot.lab.runtime import StreamRuntime
from triage_bot.lab.suite import SuiteFiles

_STDLIB = Path(sysconfig.get_paths()["stdlib"])


@unique
class Launcher(Enum):
    """Whose code it is."""

    SUITE = auto()
    PRODUCT = auto()
    NOBODY = auto()
    """Only generated code, the framework's or Python's own is on the stack."""


class Launchers:
    """Looks at the stack of the thread that launches."""

    def __init__(self, runtime: StreamRuntime, suite: SuiteFiles) -> None:
        self._suite = suite
        self._foreign: dict[str, bool] = {}
        module = sys.modules.get(type(runtime).__module__)
        device = [Path(module.__file__).parent] if module is not None and module.__file__ else []
        torch = sys.modules.get("torch")
        framework = [Path(torch.__file__).parent] if torch is not None and torch.__file__ else []
        ours = Path(triage_bot.__file__).parent
        self._between = (*device, *framework, ours, _STDLIB)

    def nearest(self) -> Launcher:
        """Whose the nearest code is, the device's, the framework's and Python's own aside."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            file = frame.f_code.co_filename
            if file in self._suite:
                return Launcher.SUITE
            if self._is_product(file):
                return Launcher.PRODUCT
            frame = frame.f_back
        return Launcher.NOBODY

    def _is_product(self, file: str) -> bool:
        if file not in self._foreign:
            path = Path(file)
            between = any(path.is_relative_to(folder) for folder in self._between)
            # Generated code has no file: it speaks for nobody.
            self._foreign[file] = path.is_absolute() and not between
        return self._foreign[file]
