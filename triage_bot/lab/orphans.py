"""Ends what a trial leaves running outside its process group: daemons, which a session of their own keeps from its end.

A process that adopts orphans becomes the parent of every descendant whose own parent has ended. Linux only, as is the
list of children; where the kernel does not keep one, nothing is found and nothing is ended.
"""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36
_GENERATIONS = 50
"""Rounds of killing: with each one the next generation of orphans comes up. A fork bomb must not hold us for ever."""


def adopt() -> None:
    """Become the parent of all orphans among the descendants of this process."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)


def children() -> frozenset[int]:
    """Process ids of the children of this process' main thread, adopted ones too."""
    try:
        told = Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="ascii")
    except OSError:
        return frozenset()
    return frozenset(int(child) for child in told.split())


def command(process: int) -> str:
    """The command line of a process; empty when it has ended."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace").strip()
    except OSError:
        return ""


def end(spared: Collection[int]) -> None:
    """Kill every child that is not ``spared``, and their orphans in turn."""
    for _ in range(_GENERATIONS):
        left = children().difference(spared)
        if not left:
            return
        for child in left:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(child, signal.SIGKILL)
        for child in left:
            with suppress(ChildProcessError):
                os.waitpid(child, 0)
