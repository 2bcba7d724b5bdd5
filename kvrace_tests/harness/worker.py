"""A background thread of the emulated host."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from kvrace_tests.harness.timing import SECOND

if TYPE_CHECKING:
    from kvrace_tests.harness.run import Run

CLOSING = 60 * SECOND
"""How long a closing thread may take over its last jobs, in virtual time."""


class EmulatedWorker:
    """Handles jobs one after another on a thread whose turns the seed decides."""

    def __init__(self, run: Run, name: str) -> None:
        self.error: BaseException | None = None
        self._run = run
        self._jobs: deque[tuple[int, Callable[[], None]]] = deque()
        self._waiting = False
        self._closed = False
        run.enter()
        self._end = run.token()
        self._thread = run.host.start(name, self._work)

    def submit(self, job: Callable[[], None]) -> None:
        """Hand over a job."""
        self._run.enter()
        if self.error is not None:
            raise self.error
        if self._closed:
            raise RuntimeError("the worker was closed before this job")
        token = self._run.token()
        self._run.release(token)
        self._jobs.append((token, job))
        self._rouse()

    def close(self) -> None:
        """Finish the jobs and end."""
        if self._closed:
            return
        self._closed = True
        self._rouse()
        if not self._run.host.wait_until(lambda: self._thread.finished, CLOSING):
            raise TimeoutError("a background job did not end within 60 virtual seconds")
        self._run.acquire(self._end)

    def _rouse(self) -> None:
        if self._waiting:
            self._waiting = False
            host = self._run.host
            host.wake(self._thread, host.current.clock + self._run.dice.draw(self._run.timing.handover))

    def _work(self) -> None:
        try:
            while True:
                while self._jobs:
                    token, job = self._jobs.popleft()
                    self._run.acquire(token)
                    job()
                if self._closed:
                    break
                self._waiting = True
                self._run.host.block()
        except Exception as error:
            self.error = error
        self._run.release(self._end)
