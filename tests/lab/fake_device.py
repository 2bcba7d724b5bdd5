"""A device of a few lines for the probes: streams hold seconds of work, and everything asked of it is written down."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from triage_bot.lab.runtime import StreamObserver


class FakeStream(NamedTuple):
    handle: int
    variable: str
    file: str = ""
    line: int = 0
    function: str = ""


class FakeDrained(NamedTuple):
    handle: int
    seconds: float


@dataclass
class FakeRuntime:
    """Implements StreamRuntime; `launch`, `wait` and `sync` are what a test would do."""

    made: list[FakeStream] = field(default_factory=list)
    work: dict[int, float] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)
    graph: bool = False
    missing: tuple[str, ...] = ()
    name: str = "fake"
    loads_lazily: bool = True
    observer: StreamObserver | None = None

    def environment(self) -> dict[str, str]:
        return {"device": "a list"}

    def begin(self, observer: StreamObserver, *, ordinal: int, launches: bool) -> None:
        self.observer = observer
        self.log.append(f"begin {ordinal} launches={launches}")

    def streams(self) -> Sequence[FakeStream]:
        return self.made

    def busy(self) -> Collection[int]:
        return [handle for handle, seconds in self.work.items() if seconds > 0]

    def drain(self, streams: Collection[int]) -> Sequence[FakeDrained]:
        self.log += [f"drain {handle}" for handle in streams]
        return [FakeDrained(handle, self.work.pop(handle, 0.0)) for handle in streams]

    def synchronize(self) -> None:
        self.log.append("synchronize")
        self.work.clear()

    def stall(self, stream: int, seconds: float) -> None:
        self.log.append(f"stall {stream}")

    def stall_host(self, seconds: float) -> None:
        self.log.append("stall host")

    def capturing(self) -> bool:
        return self.graph

    def gaps(self) -> Sequence[str]:
        return self.missing

    def launch(self, stream: int, seconds: float = 1.0) -> None:
        assert self.observer is not None
        self.observer.before_launch(stream)
        self.log.append(f"launch {stream}")
        self.work[stream] = self.work.get(stream, 0.0) + seconds
        self.observer.after_launch(stream)

    def wait(self, stream: int) -> None:
        assert self.observer is not None
        self.observer.after_wait(stream)

    def sync(self, stream: int) -> None:
        assert self.observer is not None
        self.work.pop(stream, None)
        self.observer.after_host_sync()
