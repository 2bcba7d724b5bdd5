"""What one trial showed: the test's outcome, the leftover work at its boundaries, and what the probes covered."""

from __future__ import annotations

from dataclasses import dataclass

from triage_bot.core.arms import Arm
from triage_bot.core.results import Failure, Outcome


@dataclass(frozen=True)
class Site:
    """A place in source code."""

    file: str
    """Relative to the suite's root when it lies there, else absolute."""
    line: int
    """1-based."""
    function: str = ""


@dataclass(frozen=True)
class StreamUse:
    """A stream that a trial used."""

    name: str
    """The variable it was assigned to, else ``function:line``; ``default`` for the default stream.

    One name, one creation site.
    """
    created: Site | None
    """None for the default stream and for streams made where nobody could look."""
    in_suite: bool
    """Whether the creation site belongs to the test suite (else to the code under test)."""


@dataclass(frozen=True)
class Residue:
    """Work that a stream still had when a phase boundary was reached."""

    stream: StreamUse
    seconds: float
    """How long draining it took."""
    reused: bool = False
    """Something was launched on that stream again afterwards, so its work may have been meant to run on.

    Never of a stream that nobody was seen to make, such as the default one, which everybody uses.
    """


@dataclass(frozen=True)
class Boundary:
    """A phase boundary at which at least one stream was found busy and was drained."""

    statement: str
    """First source line of the statement that ended, stripped; ``setup``, ``call`` or ``teardown`` between those."""
    site: Site
    residues: tuple[Residue, ...]

    @property
    def phase(self) -> bool:
        """Whether a whole phase of a test ended here, rather than a statement."""
        return self.statement in ("setup", "call", "teardown")


@dataclass(frozen=True)
class Coverage:
    """What the probes could not see or touch in this trial; empty strings never occur in ``gaps``."""

    gaps: tuple[str, ...] = ()
    """Short names, e.g. ``background-thread-launches``, ``raw-driver-calls``, ``hook-missing:event_wait``."""


@dataclass(frozen=True)
class Observation:
    """One trial of one test under one arm, as the child process told it (or as its death told it)."""

    outcome: Outcome
    failure: Failure | None
    """None unless the outcome is bad."""
    seconds: float
    """Wall seconds, process start included."""
    streams: tuple[StreamUse, ...] = ()
    """In the order of first use."""
    boundaries: tuple[Boundary, ...] = ()
    """Only where an isolation drains."""
    coverage: Coverage = Coverage()
    properties: tuple[tuple[str, str], ...] = ()
    """JUnit properties that the test recorded."""
    marked_stream: bool = False
    """The test carries the marker ``stream``."""
    reason: str = ""
    """Why it was skipped or not run; empty when it ran."""
    loads_lazily: bool = False
    """The device loads a kernel at its first use and is waited for meanwhile, which hides a race that happens once."""
    asked_in_vain: int = 0
    """How often in a row a stream or event was not done when the test asked: it knew that the work was not complete."""


@dataclass(frozen=True)
class Trial:
    """An observation and the arm it was made under."""

    ordinal: int
    """0-based, in the order in which the trials of one test ran; an emulated device derives its seed from it."""
    arm: Arm
    observation: Observation
    search: bool
    """True for the trials that looked for an amplifier or a polluter; they never enter a comparison."""
    before: tuple[str, ...] = ()
    """Node ids of the tests that ran before it in the same process, in that order."""
