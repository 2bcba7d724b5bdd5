"""Files that a run leaves: known to be writable before the first trial, and never seen half written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from triage_bot.errors import UsageError


def reserve(paths: Sequence[Path]) -> None:
    """``UsageError`` for a path that cannot be written: now, and not after minutes of trials."""
    for path in paths:
        with written(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            _partial(path).touch()
            _partial(path).unlink()


def write(path: Path, data: bytes) -> None:
    """Put ``data`` at ``path``, whole or not at all. ``UsageError`` when the disk refuses."""
    with written(path):
        _partial(path).write_bytes(data)
        _partial(path).replace(path)


@contextmanager
def written(path: Path) -> Iterator[None]:
    """What the block writes goes to ``path``: a disk that refuses is a ``UsageError`` that names it."""
    try:
        yield
    except OSError as error:
        raise _refused(path, error) from None


def _partial(path: Path) -> Path:
    return path.with_name(f"{path.name}.partial")


def _refused(path: Path, error: OSError) -> UsageError:
    return UsageError(f"{path} cannot be written: {error.strerror}", "name another place, one that you may write to")
