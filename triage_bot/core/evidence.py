"""What is to be explained, and what the trials so far say about it.

Everything here follows from the trials in their order, so a journal that is read again gives the same evidence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, unique
from functools import cached_property

from triage_bot.core.alike import alike
from triage_bot.core.arms import AS_IS, Arm, Isolation
from triage_bot.core.controls import lost_control
from triage_bot.core.findings import ArmTally
from triage_bot.core.results import Failure, Outcome
from triage_bot.core.signatures import family
from triage_bot.core.trials import Observation, StreamUse, Trial


@dataclass(frozen=True)
class Design:
    """What an experiment on one test may do, and what it is about."""

    failure: Failure | None = None
    """The failure to explain, from a report; None: the first one that a trial shows."""
    test: str = ""
    """Node id."""
    before: tuple[str, ...] = ()
    """Node ids of the tests that ran before it in its worker, as the report tells."""
    stream_test: bool = False
    """Declared a stream test by marker or configuration; otherwise its first trial tells."""
    cap: int = 20
    """At most so many compared trials an arm."""
    alpha: float = 0.01
    """Highest p-value that proves a difference between two arms."""

    @property
    def looks(self) -> tuple[int, ...]:
        """Numbers of pairs at which arms are compared: 5, 10, 20 … and the cap; empty when nothing can be proven."""
        looks = []
        look = FIRST_LOOK
        while look < self.cap:
            looks.append(look)
            look *= 2
        return (*looks, self.cap) if self.cap >= FIRST_LOOK else ()


FIRST_LOOK = 5
"""Fewest pairs that can prove anything: 5 of 5 against 0 of 5 is p = 0.004, 4 against 0 of 4 is 0.014."""


@unique
class Reading(str, Enum):
    """What one trial says about the failure under explanation."""

    ALIKE = "alike"
    CLEAN = "clean"
    """It passed; or, serialized, the control no longer raced, so the race needs concurrency."""
    OTHERWISE = "otherwise"
    """It failed in another way: reported, and no evidence about this failure."""
    UNUSABLE = "unusable"
    """It was skipped or did not run; or, serialized, it crashed or ran out of time."""


@dataclass(frozen=True)
class Read:
    """A trial and what it says."""

    trial: Trial
    reading: Reading

    @property
    def usable(self) -> bool:
        """Whether it counts for or against."""
        return self.reading in (Reading.ALIKE, Reading.CLEAN)


@dataclass(frozen=True)
class Evidence:
    """The trials of one test, read against the failure that they are to explain."""

    explained: Failure | None
    """None as long as nothing failed."""
    from_report: bool
    """Whether that failure was reported, rather than first seen here."""
    family: str
    """Family of the explained failure."""
    probed: bool
    """Whether it is a stream test: declared, marked, or seen using a stream other than the default one at first."""
    reads: tuple[Read, ...]
    """Those of trials that ran the test alone, or after all of its predecessors."""
    before: tuple[str, ...] = ()
    """Its predecessors."""
    narrowing: tuple[Read, ...] = ()
    """Those of trials that ran it after some of its predecessors only."""

    @classmethod
    def of(cls, design: Design, trials: Sequence[Trial]) -> Evidence:
        """The trials as they read under this design."""
        explained = design.failure or _first_failure(trials)
        reads = [Read(trial, _read(trial, explained, trials)) for trial in trials]
        return cls(
            explained=explained,
            from_report=design.failure is not None,
            family=family(explained) if explained else "",
            probed=design.stream_test or _shows_streams(trials),
            reads=tuple(read for read in reads if not _partial(design, read)),
            before=design.before,
            narrowing=tuple(read for read in reads if _partial(design, read)),
        )

    @cached_property
    def streams(self) -> tuple[StreamUse, ...]:
        """Every stream that the test used when it ran alone, in the order of first use."""
        alone = [read.trial.observation.streams for read in self.reads if not read.trial.arm.in_order]
        seen = {stream.name: stream for streams in alone for stream in reversed(streams)}
        return tuple(seen[name] for name in dict.fromkeys(stream.name for streams in alone for stream in streams))

    @cached_property
    def probed_in_order(self) -> bool:
        """Whether what ran before it may have left work: the test itself need use no stream to suffer from that."""
        in_order = [read.trial.observation.streams for read in self.reads if read.trial.arm.in_order]
        return self.probed or any(in_order)

    @cached_property
    def loads_lazily(self) -> bool:
        """Whether loading kernels early can show what is hidden otherwise."""
        return any(read.trial.observation.loads_lazily for read in self.reads)

    def under(self, arm: Arm, *, search: bool | None = None) -> list[Read]:
        """The reads under an arm; only those that searched, or only those that did not, when asked."""
        reads = self._by_arm.get(arm, ())
        return [read for read in reads if search is None or read.trial.search is search]

    @cached_property
    def _by_arm(self) -> dict[Arm, list[Read]]:
        found: dict[Arm, list[Read]] = {}
        for read in self.reads:
            found.setdefault(read.trial.arm, []).append(read)
        return found

    def alike(self, arm: Arm) -> int:
        """How often it failed alike under an arm."""
        return sum(read.reading is Reading.ALIKE for read in self.under(arm))

    def usable(self, arm: Arm) -> int:
        """How many trials under an arm count for or against."""
        return sum(read.usable for read in self.under(arm))

    def observations(self, arm: Arm) -> list[Observation]:
        """What the trials under an arm saw."""
        return [read.trial.observation for read in self.under(arm)]

    @property
    def always_alike(self) -> int:
        """How often it failed alike, if it never did anything else of use; else 0."""
        usable = [read for read in self.reads if read.usable]
        return len(usable) if all(read.reading is Reading.ALIKE for read in usable) else 0

    @property
    def latent(self) -> bool:
        """Whether only an amplifier has shown the failure."""
        return self.explained is not None and not self.from_report and self.alike(AS_IS) == 0

    def tallies(self) -> tuple[ArmTally, ...]:
        """What the trials under each arm came to, in the order of their first trial."""
        return tuple(self.tally(arm) for arm in dict.fromkeys(read.trial.arm for read in self.reads))

    def tally(self, arm: Arm) -> ArmTally:
        """What the trials under one arm came to. A failure that is no evidence counts as failed otherwise."""
        reads = self.under(arm)
        return ArmTally(
            arm=arm,
            runs=len(reads),
            failed=self.alike(arm),
            failed_otherwise=sum(
                read.reading is not Reading.ALIKE and read.trial.observation.outcome.bad for read in reads
            ),
            seconds=sum(read.trial.observation.seconds for read in reads),
        )


def _partial(design: Design, read: Read) -> bool:
    return read.trial.arm.in_order and read.trial.before != design.before


def _shows_streams(trials: Sequence[Trial]) -> bool:
    marked = any(trial.observation.marked_stream for trial in trials)
    return marked or any(stream.name != "default" for trial in trials[:1] for stream in trial.observation.streams)


def _first_failure(trials: Sequence[Trial]) -> Failure | None:
    """The first failure that the test itself can be blamed for: an amplifier may close the control's window."""
    for trial in trials:
        failure = trial.observation.failure
        if failure and trial.observation.outcome.bad:
            plain = not trial.arm.amplified and trial.arm.isolation is None
            if plain or not lost_control(failure, trials):
                return failure
    return None


def _read(trial: Trial, explained: Failure | None, trials: Sequence[Trial]) -> Reading:
    observation = trial.observation
    serialized = trial.arm.isolation is Isolation.SERIALIZED
    if observation.outcome in (Outcome.SKIPPED, Outcome.NOT_RUN):
        return Reading.UNUSABLE
    if serialized and observation.outcome in (Outcome.CRASHED, Outcome.TIMED_OUT):
        return Reading.UNUSABLE
    if not observation.outcome.bad:
        return Reading.CLEAN
    failure = observation.failure
    if failure is None or explained is None:
        return Reading.OTHERWISE
    if alike(failure, explained):
        return Reading.ALIKE
    return Reading.CLEAN if serialized and lost_control(failure, trials) else Reading.OTHERWISE
