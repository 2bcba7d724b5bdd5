"""Tells which line of the watched functions runs next, and when such a function ends.

Python 3.12 and later: ``sys.monitoring``, which costs nothing on unwatched code. Before: ``sys.settrace``, which pays
one call for each function call, misses threads that already run, and displaces a debugger or a coverage tracer while it
is on.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any, Protocol


class LineListener(Protocol):
    """Hears of the watched functions, on whichever thread runs them."""

    def line(self, frame: FrameType, line: int) -> None:
        """``line`` of ``frame`` is about to run."""

    def leave(self, frame: FrameType) -> None:
        """``frame`` returns. Not told when it ends by an exception: its caller's next line says so."""


if sys.version_info >= (3, 12):

    def _free_tool() -> int:
        """A tool id that nobody holds; 0 to 2 and 5 are reserved by convention."""
        return next(tool for tool in (3, 4, 5, 2, 1, 0) if sys.monitoring.get_tool(tool) is None)

    @contextmanager
    def _watch(codes: frozenset[CodeType], listener: LineListener) -> Iterator[None]:
        monitoring = sys.monitoring
        events = monitoring.events
        tool = _free_tool()

        def on_line(code: CodeType, line: int) -> None:
            listener.line(sys._getframe(1), line)

        def on_return(code: CodeType, offset: int, value: object) -> None:
            listener.leave(sys._getframe(1))

        monitoring.use_tool_id(tool, "triage-bot")
        monitoring.register_callback(tool, events.LINE, on_line)
        callback: Callable[..., None] = on_return
        monitoring.register_callback(tool, events.PY_RETURN, callback)
        for code in codes:
            monitoring.set_local_events(tool, code, events.LINE | events.PY_RETURN)
        try:
            yield
        finally:
            for code in codes:
                monitoring.set_local_events(tool, code, 0)
            monitoring.free_tool_id(tool)

else:

    @contextmanager
    def _watch(codes: frozenset[CodeType], listener: LineListener) -> Iterator[None]:
        def local(frame: FrameType, event: str, arg: object) -> Any:
            if event == "line":
                listener.line(frame, frame.f_lineno)
            elif event == "return":
                listener.leave(frame)
            return local

        def enter(frame: FrameType, event: str, arg: object) -> Any:
            return local if frame.f_code in codes else None

        before, before_elsewhere = sys.gettrace(), threading.gettrace()
        sys.settrace(enter)
        threading.settrace(enter)
        try:
            yield
        finally:
            sys.settrace(before)
            threading.settrace(before_elsewhere)


@contextmanager
def watching(codes: Collection[CodeType], listener: LineListener) -> Iterator[None]:
    """Tell ``listener`` about ``codes`` while the context lasts."""
    with _watch(frozenset(codes), listener):
        yield
