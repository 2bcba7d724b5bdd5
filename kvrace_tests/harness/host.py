"""The host's threads in virtual time: real threads, of which exactly one runs, chosen by its clock.

Each thread has a clock of its own. After every call that costs time the baton goes to the thread whose clock is
lowest, once the device has caught up with it. So the background copier interleaves with the test as its seed says,
and never as the machine's scheduler does.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from kvrace_tests.harness.engine import Engine, Marker
from kvrace_tests.harness.timing import Dice, Nanoseconds


class HangError(RuntimeError):
    """Every thread waits for something that can no longer come."""


class StrayThreadError(RuntimeError):
    """A thread that the device did not start has called it; its timing is not ours, so no replay would hold."""


class AbandonedError(BaseException):
    """Ends a background thread that its test left behind; not an ``Exception``, so that no job swallows it."""


class HostThread:
    """One thread of the host."""

    def __init__(self, ident: int, name: str, clock: Nanoseconds) -> None:
        self.ident = ident
        self.name = name
        self.clock = clock
        self.gate = threading.Lock()
        """Held while the thread may not run."""
        self.gate.acquire()
        self.native = 0
        """The interpreter's identifier of the thread."""
        self.real: threading.Thread | None = None
        """None for the main thread."""
        self.blocked = False
        self.finished = False
        self.error: BaseException | None = None
        """Raised in the thread when it runs again."""
        self.telling = False
        """Whether the thread is inside an observer, whose own calls are not told."""


class Host:
    """The threads of one run and the baton between them."""

    def __init__(self, engine: Engine, dice: Dice, clock: Nanoseconds = 0) -> None:
        self._engine = engine
        self._dice = dice
        self._threads = [HostThread(0, "main", clock)]
        self.current = self._threads[0]
        self.current.native = threading.get_ident()

    def enter(self) -> HostThread:
        """The calling thread, which must hold the baton."""
        current = self.current
        if current.native != threading.get_ident():
            raise StrayThreadError(
                f"thread {threading.current_thread().name!r} was not started by the emulated device: "
                "start background work with Streams.worker, or the schedule cannot be replayed"
            )
        if current.error is not None:
            raise current.error
        return current

    def elapse(self, cost: Nanoseconds) -> None:
        """The running thread spends that much time; others may run meanwhile."""
        self.current.clock += cost
        self._settle()

    def spend(self, span: tuple[int, int]) -> None:
        """The running thread makes a call of that price."""
        self.elapse(self._dice.host_step(span))

    def wait_for(self, marker: Marker) -> None:
        """The running thread waits for the device."""
        if marker.done:
            return
        thread = self.current
        thread.blocked = True
        marker.then(lambda now: self.wake(thread, now + self._dice.draw(self._dice.timing.wake)))
        self._settle()

    def wait_until(self, condition: Callable[[], bool], timeout: Nanoseconds) -> bool:
        """The running thread polls; the last answer."""
        deadline = self.current.clock + timeout
        while not condition():
            if self.current.clock >= deadline:
                return False
            self.elapse(self._dice.draw(self._dice.timing.poll))
        return True

    def block(self) -> None:
        """The running thread waits until another wakes it."""
        self.current.blocked = True
        self._settle()

    def wake(self, thread: HostThread, when: Nanoseconds) -> None:
        """``thread`` may go on, not before ``when``."""
        thread.blocked = False
        thread.clock = max(thread.clock, when)

    def start(self, name: str, body: Callable[[], None]) -> HostThread:
        """A new thread, which runs when its turn comes."""
        thread = HostThread(len(self._threads), name, self.current.clock + self._dice.draw(self._dice.timing.handover))
        self._threads.append(thread)

        def run() -> None:
            thread.native = threading.get_ident()
            thread.gate.acquire()
            try:
                if thread.error is None:
                    body()
            except AbandonedError:
                return
            thread.finished = True
            self._settle()

        thread.real = threading.Thread(target=run, name=name, daemon=True)
        thread.real.start()
        return thread

    def abandon(self) -> None:
        """End every background thread where it stands; only the main thread is left."""
        for thread in self._threads[1:]:
            if not thread.finished and thread.real is not None:
                thread.error = AbandonedError()
                self.current = thread
                thread.gate.release()
                thread.real.join()
                thread.finished = True
        self.current = self._threads[0]

    def _settle(self) -> None:
        me = self.current
        chosen = self._choose()
        if chosen is not me:
            self.current = chosen
            chosen.gate.release()
            if me.finished:
                return
            me.gate.acquire()
        if me.error is not None:
            error = me.error
            if not isinstance(error, AbandonedError):
                me.error = None
            raise error

    def _choose(self) -> HostThread:
        """The thread whose turn it is, after the device has caught up with it."""
        while True:
            chosen = self._earliest()
            instant = self._engine.next_instant()
            if instant is not None and (chosen is None or instant <= chosen.clock):
                self._engine.step()
            elif chosen is None:
                chosen = self._threads[0]
                chosen.blocked = False
                chosen.error = HangError("the host waits for something that no thread and no stream will ever do")
            else:
                return chosen

    def _earliest(self) -> HostThread | None:
        chosen = None
        for thread in self._threads:
            if not (thread.blocked or thread.finished) and (chosen is None or thread.clock < chosen.clock):
                chosen = thread
        return chosen
