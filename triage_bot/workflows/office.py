"""What publishing and responding share: the code host, who we are there, and writing down a plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from triage_bot.core.host import Home
from triage_bot.core.publication import CreateComment, Write
from triage_bot.errors import CodeHostError, PermissionRefusedError
from triage_bot.ports import Forge


@dataclass
class Office:
    """One command's dealings with the code host, and what came of them."""

    forge: Forge
    home: Home
    dry_run: bool = False
    """Read everything, write nothing; the plan is kept all the same."""
    writes: list[Write] = field(default_factory=list)
    """What was planned, in order."""
    refused: list[CodeHostError] = field(default_factory=list)
    """Writes that the token's permissions did not allow."""
    url: str = ""
    """Of our comment, where it was made or changed."""

    def write(self, plan: Sequence[Write]) -> None:
        """Do the writes in order. One that needs a permission that we lack does not keep the others from being done."""
        for write in plan:
            self.writes.append(write)
            if self.dry_run:
                continue
            try:
                made = self.forge.apply(write)
            except PermissionRefusedError as refusal:
                self.refused.append(refusal)
                continue
            if isinstance(write, CreateComment):
                self.url = made
