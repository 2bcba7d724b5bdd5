"""Which streams there are, who created them, and which a trial used. Knows no torch."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import dataclass

from triage_bot.lab.torch_runtime.sites import CreationSite


@dataclass(frozen=True, eq=False)
class StreamRecord:
    """A stream and its creation. Compares by identity: a pool hands one handle out to several creations."""

    handle: int
    variable: str
    file: str
    line: int
    function: str


class StreamRegister:
    """Handles are handed out again, so the latest creation owns one; what an earlier owner did stays on record."""

    def __init__(self) -> None:
        self._owners: dict[int, StreamRecord] = {}
        self._used: dict[StreamRecord, None] = {}
        self._external: dict[int, weakref.ref[object]] = {}

    def created(self, handle: int, site: CreationSite, external: object | None = None) -> None:
        """``handle`` was handed out to whoever stands at ``site``.

        ``external`` wraps a stream that something else made and may destroy: that owns the handle only when nobody
        else does, and only while it lives.
        """
        if external is not None:
            if handle in self._owners and handle not in self._external:
                return
            self._external[handle] = weakref.ref(external)
        self._owners[handle] = StreamRecord(handle, site.variable, site.file, site.line, site.function)

    def use(self, handle: int) -> None:
        """Something entered the stream."""
        if handle not in self._owners:
            self._owners[handle] = StreamRecord(handle, "default" if handle <= 0 else "", "", 0, "")
        self._used.setdefault(self._owners[handle])

    def forget_use(self) -> None:
        """A new trial begins; creations stay known."""
        self._used.clear()

    def used(self) -> Sequence[StreamRecord]:
        """In the order of first use."""
        return list(self._used)

    def living(self) -> Sequence[int]:
        """Every handle that was created or used, in that order; asking for a destroyed stream may crash the process."""
        return [h for h in self._owners if h not in self._external or self._external[h]() is not None]
