"""What the hooks heard, made into what an observer is told: not our own doings, nothing during a graph capture."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence

from triage_bot.lab.runtime import StreamObserver
from triage_bot.lab.torch_runtime.device import Device
from triage_bot.lab.torch_runtime.sites import CreationSite
from triage_bot.lab.torch_runtime.streams import StreamRecord, StreamRegister


class _Here(threading.local):
    """What is true of one thread."""

    hushed = 0
    """Depth of our own doings."""
    followed = False
    """Launches of this thread are told."""


class Notices:
    """The one door between hooks and observer. Called on whichever thread acts; torch holds the GIL meanwhile."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._observer: StreamObserver | None = None
        self._launches = False
        self._here = _Here()
        self._streams = StreamRegister()
        self._captures = 0
        self._launched: set[int] = set()
        self._waiting: set[int] = set()
        self._recorded: set[int] = set()
        self._gaps: dict[str, None] = {}

    def begin(self, observer: StreamObserver, launches: bool) -> None:
        """Tell ``observer`` from here on; forget what the trial before used."""
        self._observer, self._launches = observer, launches
        self._streams.forget_use()
        for seen in (self._launched, self._waiting, self._recorded):
            seen.clear()
        self._gaps.clear()

    @contextlib.contextmanager
    def hushed(self) -> Iterator[None]:
        """What this thread does inside is our own doing: neither told nor counted as use."""
        self._here.hushed += 1
        try:
            yield
        finally:
            self._here.hushed -= 1

    @property
    def capturing(self) -> bool:
        """Whether a graph is being captured between ``capture_begin`` and ``capture_end``."""
        return self._captures > 0

    def follow(self) -> None:
        """Launches of this thread are told from here on."""
        self._here.followed = True

    def stream_created(self, handle: int, site: CreationSite, external: object | None = None) -> None:
        """A stream was handed out, or one that something else made was wrapped in ``external``."""
        if not self._here.hushed:
            self._streams.created(handle, site, external)

    def stream_selected(self, handle: int) -> None:
        """A stream was made current. The default one is also selected merely by leaving another."""
        if not self._deaf and handle > 0:
            self._streams.use(handle)

    def memory_allocated(self) -> None:
        """Memory was taken for the current stream: what torch does before nearly every new result."""
        if not self._deaf:
            self._streams.use(self._device.current())

    def event_recorded(self, pointer: int) -> None:
        """An event entered a stream."""
        if self._deaf:
            return
        handle = self._device.handle(pointer)
        self._streams.use(handle)
        self._recorded.add(handle)
        if self._launches and not self._here.followed:
            self._gaps.setdefault("background-thread-launches")

    def wait_entered(self, pointer: int) -> None:
        """A stream was told to wait."""
        if self._deaf or self._observer is None:
            return
        handle = self._device.handle(pointer)
        self._streams.use(handle)
        self._waiting.add(handle)
        with self.hushed():
            self._observer.after_wait(handle)

    def host_waits(self, wait: Callable[[], None]) -> None:
        """The host is about to wait: ``wait`` for the same thing, then tell that it has waited."""
        if not self._deaf:
            with self.hushed():
                wait()
            self.host_waited()

    def host_waited(self) -> None:
        """The host waited for the device, or learned that it is done."""
        if self._deaf or self._observer is None:
            return
        with self.hushed():
            self._observer.after_host_sync()

    def host_asked(self, subject: int, done: bool) -> None:
        """The host asked a stream or an event whether it is done."""
        if self._deaf or self._observer is None:
            return
        with self.hushed():
            self._observer.after_query(subject, done)

    @contextlib.contextmanager
    def launch(self, handle: Callable[[], int]) -> Iterator[None]:
        """An operation enters the stream that ``handle`` tells. Nothing is said after one that failed."""
        if self._deaf or self._observer is None or not self._launches:
            yield
            return
        stream = handle()
        self._streams.use(stream)
        self._launched.add(stream)
        # Backward passes run on threads that nobody could follow but that carry the mode with them.
        self._here.followed = True
        with self.hushed():
            self._observer.before_launch(stream)
        yield
        with self.hushed():
            self._observer.after_launch(stream)

    def capture_begun(self) -> None:
        """A graph is being captured from here on."""
        self._captures += 1

    def capture_ended(self) -> None:
        """One capture less."""
        self._captures = max(0, self._captures - 1)

    def busy(self, handle: int) -> None:
        """A stream was found to have work."""
        self._streams.use(handle)
        if self._launches and handle not in self._launched | self._waiting:
            self._gaps.setdefault("raw-driver-calls")

    def used(self) -> Sequence[StreamRecord]:
        """Streams used since ``begin``, in that order."""
        return self._streams.used()

    def known(self) -> Sequence[int]:
        """Every handle ever created or used whose stream still exists, as far as that can be told."""
        return self._streams.living()

    def gaps(self) -> Sequence[str]:
        """What this trial showed signs of and nobody told. An event on a stream without operations is such a sign."""
        if self._launches and any(handle > 0 for handle in self._recorded - self._launched):
            self._gaps.setdefault("raw-driver-calls")
        return list(self._gaps)

    @property
    def _deaf(self) -> bool:
        return self._observer is None or self._here.hushed > 0 or self._captures > 0
