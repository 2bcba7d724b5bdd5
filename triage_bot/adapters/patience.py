"""Asking again when the code host says "later", and never doing twice what it may have done already."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from triage_bot.errors import CodeHostError, PermissionRefusedError

T = TypeVar("T")


class HostAnswerError(Exception):
    """The host did not do what it was asked; ``status`` 0 when no answer came."""

    def __init__(self, status: int, message: str, retry_after: float | None = None, wants: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after
        """Seconds that the host asks to wait; None when it does not say."""
        self.wants = wants
        """The permission that the host says is lacking; empty when it does not say."""

    @property
    def later(self) -> bool:
        """Whether the same request may be granted later. It was not carried out.

        The host says 403 both for a limit and for a lack of permission; only the text tells them apart.
        """
        limited = "rate limit" in str(self).lower() or "abuse" in str(self).lower()
        return self.status == 429 or (self.status == 403 and (limited or self.retry_after is not None))

    @property
    def unclear(self) -> bool:
        """Whether the request may have been carried out all the same."""
        return self.status == 0 or self.status >= 500


@dataclass(frozen=True)
class Patience:
    """How long and how often to ask again."""

    tries: int = 4
    pause: float = 60.0
    """Seconds to wait on a limit when the host does not say how long."""
    longest: float = 120.0
    """A longer wait is not waited for."""
    stumble: float = 1.0
    """Seconds after an answer that was lost, doubled each time."""

    def read(self, ask: Callable[[], T]) -> T:
        """What a harmless request gives."""
        return self.write(ask, lambda: None)

    def write(self, ask: Callable[[], T], look: Callable[[], T | None]) -> T:
        """What a request gives. After an unclear answer ``look`` says whether it was done before it is repeated."""
        for attempt in range(self.tries):
            try:
                return ask()
            except HostAnswerError as answer:
                wait = self._wait(answer, attempt)
                if wait is None:
                    raise
                time.sleep(wait)
                done = look() if answer.unclear else None
                if done is not None:
                    return done
        raise AssertionError("the last attempt returns or raises")

    def _wait(self, answer: HostAnswerError, attempt: int) -> float | None:
        """Seconds until it is worth asking again; None when it is not."""
        if attempt + 1 >= self.tries:
            return None
        if answer.unclear:
            return self.stumble * float(2**attempt)
        if not answer.later:
            return None
        wait = self.pause if answer.retry_after is None else answer.retry_after
        return wait if wait <= self.longest else None


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the host asks to wait, by its headers in lower case; None when it does not say."""
    asked, reset = headers.get("retry-after", ""), headers.get("x-ratelimit-reset", "")
    if asked.isdigit():
        return float(asked)
    if headers.get("x-ratelimit-remaining") == "0" and reset.isdigit():
        return max(0.0, float(reset) - time.time()) + 1
    return None


@contextmanager
def told(permission: str) -> Iterator[None]:
    """Turns the host's last word into an error for people. ``permission`` is what the request needs."""
    try:
        yield
    except HostAnswerError as answer:
        if answer.status == 403 and not answer.later:
            wants = answer.wants.replace("_", "-").replace("=", ": ") or permission
            raise PermissionRefusedError(
                f"the code host refuses: {answer}", f"Give the job the permission `{wants}` in its workflow file."
            ) from answer
        if answer.status == 401:
            raise CodeHostError("the code host does not know the token", "Set GITHUB_TOKEN to a valid one.") from answer
        if answer.later:
            advice = "Its limit is used up: run the job again in a few minutes."
        else:
            advice = "Run the job again; what was written is found and not written twice."
        status = f" ({answer.status})" if answer.status else ""
        raise CodeHostError(f"the code host did not do it{status}: {answer}", advice) from answer


def status_of(refusal: CodeHostError) -> int:
    """The status that an error of ``told`` is about; 0 without one."""
    return refusal.__cause__.status if isinstance(refusal.__cause__, HostAnswerError) else 0
