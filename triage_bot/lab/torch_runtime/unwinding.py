"""Keeps torch's trace from losing exceptions.

An exception that leaves a function, or a block, destroys what was on the interpreter's stack there: a list that only
a loop over it held, say. Where device memory or an event ends with that, torch tells its trace, and on the way drops
the exception; Python raises ``SystemError: error return without exception set`` in its place. So the trace is switched
off from the moment at which an exception is raised until the stack is clear.

Limits: Python 3.12 and later, where the interpreter tells of these moments. The arguments of a built-in function that
fails are destroyed before anybody is told.
"""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

import torch

_FLAG = "_ZN3c104impl8GPUTrace9haveStateE"  # c10::impl::GPUTrace::haveState, a bool that torch reads before each notice

_TOOL = "triage-bot exceptions"


def trace_switch() -> ctypes.c_bool | None:
    """What turns torch's trace on and off; None when this torch has no such switch."""
    try:
        library = ctypes.CDLL(str(Path(torch.__file__).parent / "lib" / "libc10.so"))
        return ctypes.c_bool.in_dll(library, _FLAG)
    except (OSError, ValueError):
        return None


def spare_exceptions() -> None:
    """From here on the trace is silent while an exception clears the stack; nothing where that cannot be done."""
    switch = trace_switch()
    if sys.version_info >= (3, 12) and switch is not None and switch.value:
        _silence_while_unwinding(switch)


if sys.version_info >= (3, 12):

    def _silence_while_unwinding(switch: ctypes.c_bool) -> None:
        monitoring = sys.monitoring
        events = monitoring.events
        holders = {tool: monitoring.get_tool(tool) for tool in (4, 3, 5)}
        tool = next((tool for tool, holder in holders.items() if holder is None), None)
        if tool is None or _TOOL in holders.values():
            return

        def silence(_code: object, _offset: int, exception: BaseException) -> None:
            # The end of a loop is raised too, and nobody tells that the loop took it.
            if not isinstance(exception, (StopIteration, StopAsyncIteration)):
                switch.value = False

        def speak(*_: object) -> None:
            switch.value = True

        monitoring.use_tool_id(tool, _TOOL)
        for event in (events.RAISE, events.RERAISE):
            monitoring.register_callback(tool, event, silence)
        # Told when the stack is clear: the one when the exception leaves the function, the other when it stays in it.
        for event in (events.PY_UNWIND, events.EXCEPTION_HANDLED):
            monitoring.register_callback(tool, event, speak)
        monitoring.set_events(tool, events.RAISE | events.RERAISE | events.PY_UNWIND | events.EXCEPTION_HANDLED)
