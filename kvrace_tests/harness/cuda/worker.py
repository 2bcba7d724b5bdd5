"""A background thread that works off a queue."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable


class ThreadWorker:
    """A thread and its queue."""

    def __init__(self, name: str) -> None:
        self.error: BaseException | None = None
        self._jobs: queue.Queue[Callable[[], None] | None] = queue.Queue()
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    def submit(self, job: Callable[[], None]) -> None:
        """See ``Worker``."""
        if self.error is not None:
            raise self.error
        self._jobs.put(job)

    def close(self) -> None:
        """See ``Worker``."""
        self._jobs.put(None)
        self._thread.join()

    def _work(self) -> None:
        try:
            while (job := self._jobs.get()) is not None:
                job()
        except BaseException as error:
            self.error = error
