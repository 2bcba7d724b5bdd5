"""Do the emulated device and a real one agree? The same cases and specimens under the same arms, on each.

Usage, once on each machine and then anywhere:
  python -m benchmarks.agreement run --runtime emulated --out emulated.json
  python -m benchmarks.agreement run --runtime cuda --against emulated.json --out cuda.json [--seconds S]
  python -m benchmarks.agreement compare emulated.json cuda.json
An arm agrees when both devices showed at least one outcome in common: passed, or one and the same failure. What hangs
on chance in time, such as an as-is flake, is so compared by what it can do and not by how often. With ``--against`` an
arm is tried until it agrees, a few times at most, and only what the other device tried is. Each arm is on disk before
the next one begins; a later call goes on there, and with ``--again`` tries afresh what did not agree.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from benchmarks.emulated_lab import ROOT, zoo
from kvrace_tests.cases.table import CASES
from triage_bot.core.alike import signature
from triage_bot.core.arms import Arm
from triage_bot.core.results import Outcome
from triage_bot.core.trials import Observation
from triage_bot.lab.pytest_lab import PytestLab
from triage_bot.ports import Lab

TRIALS = 2
TRIALS_TO_AGREE = 4
TRIAL_SECONDS = 40.0
"""The longest specimen takes some 3 s; a trial that hangs must not use up a lent device."""
AMPLIFIERS = ("stretched",)
ISOLATIONS = ("", "+drained", "+serialized")
COMPARED = {"cross-phase-contamination", "ordering-bug", "time-sensitive", "broken", "vacuous-control"}
NOBODY_SKEWED = "stream-not-seen"
SKIPPED = Outcome.SKIPPED.value
HARNESS = "kvrace_tests/harness/"
"""Streams made there belong to one device and not to the test."""


@dataclass
class Tried:
    """What one arm of one test showed."""

    outcomes: list[str] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)
    """What the probes of this device did not see; an arm acts on what is seen."""


@dataclass
class Record:
    """All arms of one device."""

    environment: dict[str, str] = field(default_factory=dict)
    tests: dict[str, dict[str, Tried]] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> Record:
        told = json.loads(path.read_text(encoding="utf-8"))
        tests = {test: {arm: Tried(**tried) for arm, tried in arms.items()} for test, arms in told["tests"].items()}
        return cls(told["environment"], tests)

    def write(self, path: Path) -> None:
        fresh = path.with_suffix(".new")
        fresh.write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")
        fresh.replace(path)

    def outcomes(self, test: str, arm: str) -> list[str]:
        tried = self.tests.get(test, {}).get(arm)
        return tried.outcomes if tried else []


def outcome(observation: Observation) -> str:
    ended = observation.outcome
    if observation.failure is None:
        return ended.value
    said = signature(observation.failure)
    return said if ended is Outcome.FAILED else f"{ended.value}: {said}"


def tests(lab: Lab) -> list[str]:
    """The cases, and the specimens whose truth does not need an earlier test or plain luck."""
    truths = {specimen.node_id: specimen.truth for specimen in zoo()}
    cases = {f"kvrace_tests/cases/{module}.py" for module in CASES.values()}
    return [
        test.node_id
        for test in lab.collected()
        if truths.get(test.node_id) in COMPARED or test.node_id.split("::")[0] in cases
    ]


def arms(lab: Lab, test: str) -> list[str]:
    """As-is, and every amplifier of this test with every isolation."""
    first = lab.run(test, Arm(), 0)
    streams = dict.fromkeys(
        stream.name
        for stream in first.streams
        # A turn, ``streams#2``, is one of several streams that its name slows all together.
        if stream.created is not None and not stream.created.file.startswith(HARNESS) and "#" not in stream.name
    )
    amplifiers = [*AMPLIFIERS, *(f"skewed:{stream}" for stream in streams)]
    return ["as-is", *(amplifier + isolation for amplifier in amplifiers for isolation in ISOLATIONS)]


def tried(lab: Lab, test: str, arm: str, wanted: Collection[str]) -> Tried:
    """Trials of one arm: until one ends as wanted, or a fixed number of them when nothing is."""
    seen, intervention = Tried(), Arm.parse(arm)
    for ordinal in range(TRIALS_TO_AGREE if wanted else TRIALS):
        observation = lab.run(test, intervention, ordinal)
        seen.outcomes = sorted({*seen.outcomes, outcome(observation)})
        seen.gaps = sorted({*seen.gaps, *observation.coverage.gaps})
        if intervention.skewed and intervention.skewed not in {stream.name for stream in observation.streams}:
            seen.gaps = sorted({*seen.gaps, NOBODY_SKEWED})
        if set(seen.outcomes) & {*wanted, SKIPPED}:
            break
    return seen


def agreed(record: Record, other: Record) -> Record:
    """The record without the arms that have no outcome in common with the other's, though they could have."""
    return Record(
        record.environment,
        {
            test: {arm: one for arm, one in arms.items() if set(one.outcomes) & {*other.outcomes(test, arm), SKIPPED}}
            for test, arms in record.tests.items()
        },
    )


@dataclass(frozen=True)
class Job:
    """What one call does."""

    out: Path
    against: Record | None
    seconds: float
    only: str

    def wants(self, test: str) -> bool:
        return self.only in test and (self.against is None or test in self.against.tests)

    def arms(self, lab: Lab, test: str) -> list[str]:
        if self.against is None:
            return arms(lab, test)
        return [arm for arm in self.against.tests[test] if self.wanted(test, arm) != [SKIPPED]]

    def wanted(self, test: str, arm: str) -> list[str]:
        return self.against.outcomes(test, arm) if self.against else []


def run(job: Job, lab: Lab, record: Record) -> None:
    begun = time.monotonic()
    for test in filter(job.wants, tests(lab)):
        done = record.tests.setdefault(test, {})
        for arm in job.arms(lab, test):
            if arm in done:
                continue
            if time.monotonic() - begun > job.seconds:
                print(f"stopped after {job.seconds:g} s; the same command goes on")
                return
            done[arm] = tried(lab, test, arm, job.wanted(test, arm))
            record.environment = asdict(lab.environment())
            record.write(job.out)
        print(f"{time.monotonic() - begun:6.1f} s  {test.split('/')[-1]}: {len(done)} arms", flush=True)


@contextmanager
def lab_on(runtime: str) -> Iterator[PytestLab]:
    paths = [str(ROOT / "kvrace_tests"), str(ROOT / "kvrace_tests/specimens/emulated")]
    arguments = [*paths, "--kvrace-runtime", runtime, "-p", "no:cacheprovider"]
    with tempfile.TemporaryDirectory() as folder, PytestLab(arguments, Path(folder), TRIAL_SECONDS) as lab:
        yield lab
        print(*lab.remarks(), sep="\n", end="\n" if lab.remarks() else "")


@dataclass(frozen=True)
class Apart:
    """An arm with no outcome in common."""

    test: str
    arm: str
    one: Tried
    other: Tried

    @property
    def covered(self) -> bool:
        return not self.one.gaps and not self.other.gaps

    def __str__(self) -> str:
        gaps = ", ".join({*self.one.gaps, *self.other.gaps})
        why = f"\n  not seen by the probes: {gaps}" if gaps else ""
        return (
            f"{'APART' if self.covered else 'apart, and not covered'}: {self.test} under {self.arm}\n"
            f"  one:   {' | '.join(self.one.outcomes)}\n  other: {' | '.join(self.other.outcomes)}{why}"
        )


def pairs(one: Record, other: Record) -> Iterator[tuple[str, str]]:
    """Tests and arms that both devices tried."""
    for test in one.tests.keys() & other.tests.keys():
        for arm in one.tests[test].keys() & other.tests[test].keys():
            yield test, arm


def compare(one: Record, other: Record) -> int:
    both = sorted(pairs(one, other))
    skipped = [pair for pair in both if SKIPPED in one.outcomes(*pair) + other.outcomes(*pair)]
    compared = [pair for pair in both if pair not in skipped]
    apart = [
        Apart(test, arm, one.tests[test][arm], other.tests[test][arm])
        for test, arm in compared
        if not set(one.outcomes(test, arm)) & set(other.outcomes(test, arm))
    ]
    print(*apart, sep="\n", end="\n" if apart else "")
    covered = sum(difference.covered for difference in apart)
    alone = sum(len(record.tests[test]) for record in (one, other) for test in record.tests) - 2 * len(both)
    print(f"{len({test for test, _ in compared})} tests, {len(compared)} arms compared: {covered} apart")
    print(
        f"besides: {len(apart) - covered} apart where the probes do not see everything, "
        f"{len(skipped)} skipped on a device, {alone} tried on one only"
    )
    return 1 if covered or not compared else 0


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    runner = commands.add_parser("run")
    runner.add_argument("--runtime", choices=("cuda", "emulated"), required=True)
    runner.add_argument("--out", type=Path, required=True)
    runner.add_argument(
        "--against", type=Path, help="what the other device showed: its tests and arms, until they agree"
    )
    runner.add_argument("--seconds", type=float, default=float("inf"), help="begin no arm later; call again to go on")
    runner.add_argument("--again", action="store_true", help="try afresh the arms that did not agree")
    runner.add_argument("--only", default="", help="part of a node id")
    comparer = commands.add_parser("compare")
    comparer.add_argument("one", type=Path)
    comparer.add_argument("other", type=Path)
    options = parser.parse_args(arguments)
    if options.command == "compare":
        return compare(Record.read(options.one), Record.read(options.other))
    against = Record.read(options.against) if options.against else None
    record = Record.read(options.out) if options.out.exists() else Record()
    if options.again and against:
        record = agreed(record, against)
    with lab_on(options.runtime) as lab:
        run(Job(options.out, against, options.seconds, options.only), lab, record)
    print(f"{len(record.tests)} tests on {options.runtime} are in {options.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
