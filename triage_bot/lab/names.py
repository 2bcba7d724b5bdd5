"""Names for the streams of one trial: one name for each place that creates streams, the same in every trial."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from triage_bot.core.trials import Site, StreamUse
from triage_bot.lab.runtime import StreamInfo, StreamRuntime
from triage_bot.lab.suite import SuiteFiles


class StreamNames:
    """Asks a runtime for the streams of the trial so far and names them."""

    def __init__(self, runtime: StreamRuntime, suite: SuiteFiles) -> None:
        self._runtime = runtime
        self._suite = suite
        self._named: list[tuple[int, StreamUse]] = []

    def uses(self) -> tuple[StreamUse, ...]:
        """One entry for each name, in the order of first use."""
        return tuple(dict.fromkeys(use for _, use in self._current()))

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
            site = Site(self._suite.relative(info.file), info.line, info.function) if info.file else None
            yield info.handle, StreamUse(name, site, in_suite=site is not None and info.file in self._suite)
