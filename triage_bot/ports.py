"""What the workflows need of the world: a lab that runs trials, a clock, the code host."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from triage_bot.core.arms import Arm
from triage_bot.core.findings import Environment, Triage
from triage_bot.core.host import ChangedFile, Check, Comment, Pull, Review, Run
from triage_bot.core.publication import Write
from triage_bot.core.remedy import Patch
from triage_bot.core.trials import Observation


@dataclass(frozen=True)
class CollectedTest:
    """A test of the suite under triage."""

    node_id: str
    """As pytest prints it, relative to the suite's root."""
    marked_stream: bool
    """Carries the marker ``stream``."""


class Lab(Protocol):
    """Runs one trial at a time, each in a process of its own."""

    def collected(self) -> Sequence[CollectedTest]:
        """Every test of the suite, in collection order. Raises ``LabError`` when the suite cannot be collected."""

    def run(
        self, node_id: str, arm: Arm, ordinal: int, before: Sequence[str] = (), patch: Patch | None = None
    ) -> Observation:
        """One trial of a test under an arm, after ``before`` in the same process. Death and hang are observations.

        With ``patch`` its source stands for the file's; the file itself is never touched.
        """

    def source(self, file: str) -> str | None:
        """The text of a source file as a ``Site`` names it; None when it cannot be read."""

    def environment(self) -> Environment:
        """What the trials run on, as the last one told it."""

    def remarks(self) -> Sequence[str]:
        """What a person should know about how trials ran here, e.g. why they could not be forked."""


class Clock(Protocol):
    """Monotonic time, for budgets."""

    def seconds(self) -> float:
        """Seconds since an arbitrary start."""


class Forge(Protocol):
    """The code host, for one repository. Every method raises ``CodeHostError`` when the host refuses or is away."""

    def run(self, run_id: int) -> Run | None:
        """A run of a workflow; None when there is none of that number."""

    def pull(self, number: int) -> Pull | None:
        """A pull request as it is now; None when there is none of that number."""

    def pulls_of_commit(self, sha: str) -> Sequence[Pull]:
        """Pull requests that hold a commit of this repository."""

    def pulls_of_branch(self, repository: str, branch: str) -> Sequence[Pull]:
        """Open pull requests from a branch of a repository, this one or a fork."""

    def comments(self, number: int) -> Sequence[Comment]:
        """The whole conversation of a pull request, the oldest first."""

    def checks(self, sha: str, name: str) -> Sequence[Check]:
        """Check runs of that name on a commit."""

    def labels(self) -> Collection[str]:
        """Names of the repository's labels."""

    def may_write(self, login: str) -> bool:
        """Whether that account may push to this repository."""

    def files(self, number: int) -> Sequence[ChangedFile]:
        """What a pull request changes."""

    def reviews(self, number: int) -> Sequence[Review]:
        """The reviews of a pull request."""

    def triages(self, run_id: int) -> Sequence[Triage]:
        """The results that a run left behind, read as hostile input; empty when it left none."""

    def apply(self, write: Write) -> str:
        """Do one write. The address of what it made, for people; empty where there is none.

        Raises ``PermissionRefusedError`` when the token lacks a permission: other writes may still succeed.
        """
