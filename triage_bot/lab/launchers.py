"""Whose code launches an operation: the suite's, or that of the code under test.

A stream that the test made may be handed to the code under test. What that leaves on it is not the test's leak, and a
wait added to the test would hide a real bug.
"""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path
from types import FrameType

import triage_bot
from triage_bot.lab.runtime import StreamRuntime
from triage_bot.lab.suite import SuiteFiles


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
        self._between = (*device, *framework, ours, Path(sysconfig.get_paths()["stdlib"]))

    def foreign(self) -> bool:
        """Whether the nearest code, the device's, the framework's and Python's own aside, is not the suite's."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            file = frame.f_code.co_filename
            if file in self._suite:
                return False
            if self._is_product(file):
                return True
            frame = frame.f_back
        return False

    def _is_product(self, file: str) -> bool:
        if file not in self._foreign:
            path = Path(file)
            between = any(path.is_relative_to(folder) for folder in self._between)
            # Generated code has no file: it speaks for nobody.
            self._foreign[file] = path.is_absolute() and not between
        return self._foreign[file]
