"""What the lab's processes print, as far as it explains how they ended."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

LOG_TAIL = 1_500
"""Characters of a log that an error message quotes."""
LAST_WORDS = 4_000
"""Characters kept of what a process printed before it died."""
_LARGEST = 64 << 20
"""Bytes of a log that are kept from one trial to the next: a suite that captures nothing may print without end."""


class Log:
    """A file that processes print into. Held open, so that it can be read whatever a test does to its folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.file = path.open("a+b")
        """To hand to a process, as its output."""

    def clear(self) -> None:
        """Forget what was printed: an error quotes the end, and that must be of the process that runs now."""
        self.file.truncate(0)

    def begin(self) -> int:
        """Where the next trial begins to print."""
        size = self.file.seek(0, 2)
        if size > _LARGEST:
            self.clear()
            return 0
        return size

    def tail(self, since: int = 0, most: int = LOG_TAIL) -> str:
        """The last ``most`` characters of what was printed behind the byte ``since``."""
        self.file.seek(max(since, self.file.seek(0, 2) - 4 * most))
        return self.file.read().decode("utf-8", "replace")[-most:].strip()

    def close(self) -> None:
        """Keep the file, and let go of it."""
        with suppress(OSError):  # a full disk takes nothing, and nothing of ours is pending
            self.file.close()
