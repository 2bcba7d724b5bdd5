"""The first line of the bot's comment: invisible to readers, and all that the bot reads back from it."""

from __future__ import annotations

import re
from dataclasses import dataclass

_PATTERN = re.compile(
    r"<!-- triage-bot v1 sha=([0-9a-f]{40}) run=(\d{1,20}) attempt=(\d{1,9}) since=([0-9TZ:\-]{1,20})"
    r"(?: after=((?:\d{1,20}\.?){1,9}))? -->(?:\n|$)"
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

    after: tuple[int, ...] = ()
    """Earlier runs whose results this one only adds to, the oldest first: it tried one test of theirs again."""

    def __str__(self) -> str:
        after = f" after={'.'.join(map(str, self.after))}" if self.after else ""
        run = f"run={self.run_id} attempt={self.attempt}"
        return f"<!-- triage-bot v1 sha={self.sha} {run} since={self.since}{after} -->"

    @classmethod
    def parse(cls, body: str) -> Marker | None:
        """The marker at the very first byte of a comment; None when there is none or it stands further down."""
        match = _PATTERN.match(body)
        if match is None:
            return None
        sha, run_id, attempt, since, after = match.groups()
        return cls(sha, int(run_id), int(attempt), since, tuple(int(run) for run in (after or "").split(".") if run))

    def older_than(self, other: Marker) -> bool:
        """Whether the other one is about the same head and a later run."""
        return self.sha == other.sha and (self.run_id, self.attempt) < (other.run_id, other.attempt)
