"""Names for the streams of one trial: one name for each place that creates streams, the same in every trial."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from triage_bot.core.trials import Site, StreamUse
from triage_bot.lab.runtime import StreamInfo, StreamRuntime
from triage_bot.lab.suite import SuiteFiles

TURNS = 8
"""So many streams of one place can be told apart; a ninth shares the turn of the first. Each turn costs a search."""


class StreamNames:
    """Asks a runtime for the streams of the trial so far and names them."""

    def __init__(self, runtime: StreamRuntime, suite: SuiteFiles) -> None:
        self._runtime = runtime
        self.suite = suite
        self._named: list[tuple[int, StreamUse]] = []

    def uses(self) -> tuple[StreamUse, ...]:
        """One entry for each name, in the order of first use; then the turns of places that made several streams.

        A turn, ``streams#2``, is one stream of such a place. A wait that is missing between two streams of one place
        shows only when one of them is slowed alone.
        """
        uses = [use for _, use in self._current()]
        turns = [
            replace(use, name=f"{use.name}#{turn}")
            for use, count in Counter(uses).items()
            for turn in range(1, min(count, TURNS) + 1)
            if count > 1
        ]
        return (*dict.fromkeys(uses), *turns)

    def called(self, handle: int, name: str) -> bool:
        """Whether the living stream with that handle has this name, or this turn of it."""
        use = self.of(handle)
        if use.name == name or not name.startswith(f"{use.name}#"):
            return use.name == name
        same = [known for known, other in self._current() if other.name == use.name]
        turn = (len(same) - 1 - same[::-1].index(handle)) % TURNS + 1
        return name == f"{use.name}#{turn}"

    def of(self, handle: int) -> StreamUse:
        """The living stream with that handle; a stream nobody saw being created is named by its handle."""
        for known, use in reversed(self._current()):
            if known == handle:
                return use
        return StreamUse(name=f"stream-{handle:#x}", created=None, in_suite=False)

    def _current(self) -> list[tuple[int, StreamUse]]:
        infos = self._runtime.streams()
        # Streams are only ever added: the list is named anew when it grew, not at each of thousands of operations.
        if len(infos) != len(self._named):
            self._named = list(self._name(infos))
        return self._named

    def _name(self, infos: Sequence[StreamInfo]) -> Iterator[tuple[int, StreamUse]]:
        owner: dict[str, tuple[str, int]] = {}
        for info in infos:
            place = (info.file, info.line)
            name = info.variable or (f"{info.function}:{info.line}" if info.file else f"stream-{info.handle:#x}")
            if owner.setdefault(name, place) != place:
                name = f"{name}@{info.function}:{info.line}"
            site = Site(self.suite.relative(info.file), info.line, info.function) if info.file else None
            yield info.handle, StreamUse(name, site, in_suite=site is not None and info.file in self.suite)
