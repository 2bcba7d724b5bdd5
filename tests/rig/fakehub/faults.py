"""Weather: answers that GitHub gives on a bad day, on demand and counted."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from tests.rig.fakehub.exchange import Refused
from tests.rig.fakehub.world import World


class Kind(Enum):
    NO_PERMISSION = "403 for lack of permission"
    SECONDARY_LIMIT = "403 secondary limit, without Retry-After"
    SECONDARY_LIMIT_RETRY_AFTER = "403 secondary limit, with Retry-After"
    TOO_MANY = "429 with Retry-After"
    LOST = "502, and nothing was done"
    LOST_AFTER_COMMIT = "502, and it was done"
    DRIFT = "something changes between this request and the next"


@dataclass
class Fault:
    kind: Kind
    where: str
    """Regular expression over ``METHOD /path``."""
    times: int = 1
    skip: int = 0
    """Let that many matching requests through first."""
    change: Callable[[World], None] | None = None
    """What happens, for ``DRIFT``."""
    retry_after: int = 1

    def hits(self, line: str) -> bool:
        """Whether it strikes this request; counts."""
        if self.times < 1 or not re.search(self.where, line):
            return False
        if self.skip:
            self.skip -= 1
            return False
        self.times -= 1
        return True


LIMIT = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."


def before(fault: Fault) -> None:
    """Strike before anything is done; returns for the kinds that strike later."""
    if fault.kind is Kind.NO_PERMISSION:
        raise Refused(403, "Resource not accessible by integration")
    if fault.kind is Kind.SECONDARY_LIMIT:
        raise Refused(403, LIMIT)
    if fault.kind is Kind.SECONDARY_LIMIT_RETRY_AFTER:
        raise Refused(403, LIMIT, Retry_After=str(fault.retry_after))
    if fault.kind is Kind.TOO_MANY:
        raise Refused(429, "API rate limit exceeded", Retry_After=str(fault.retry_after))
    if fault.kind is Kind.LOST:
        raise Refused(502, "Server Error")


def after(fault: Fault, world: World) -> None:
    """Strike when the answer is ready."""
    if fault.kind is Kind.LOST_AFTER_COMMIT:
        raise Refused(502, "Server Error")
    if fault.kind is Kind.DRIFT and fault.change:
        fault.change(world)
