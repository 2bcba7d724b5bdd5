"""The first line of the bot's comment: invisible to readers, and all that the bot reads back from it."""

from __future__ import annotations

import re
from dataclasses import dataclass

_PATTERN = re.compile(
    r"<!-- triage-bot v1 sha=([0-9a-f]{40}) run=(\d{1,20}) attempt=(\d{1,9}) since=([0-9TZ:\-]{1,20}) -->(?:\n|$)"
)


@dataclass(frozen=True)
class Marker:
    """Which head and which run a comment speaks of."""

    sha: str
    """40 hexadecimal digits."""
    run_id: int
    """0 in a hint that nothing was run."""
    attempt: int
    since: str
    """When the first result for this head was there, ``2026-12-01T00:00:00Z``: an acceptance is younger than that."""

    def __str__(self) -> str:
        return f"<!-- triage-bot v1 sha={self.sha} run={self.run_id} attempt={self.attempt} since={self.since} -->"

    @classmethod
    def parse(cls, body: str) -> Marker | None:
        """The marker at the very first byte of a comment; None when there is none or it stands further down."""
        match = _PATTERN.match(body)
        if match is None:
            return None
        sha, run_id, attempt, since = match.groups()
        return cls(sha, int(run_id), int(attempt), since)

    def older_than(self, other: Marker) -> bool:
        """Whether the other one is about the same head and a later run."""
        return self.sha == other.sha and (self.run_id, self.attempt) < (other.run_id, other.attempt)
