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
import sys
import tempfile
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from benchmarks.agreement_records import SKIPPED, Record, Tried, agreed, compare, merged
from benchmarks.emulated_lab import ROOT, zoo
from kvrace_tests.cases.table import CASES
from triage_bot.core.alike import signature
from triage_bot.core.arms import Arm
from triage_bot.core.results import Outcome
from triage_bot.core.trials import Observation
from triage_bot.lab.pytest_lab import PytestLab
from triage_bot.ports import Lab

TRIALS = 2
TRIALS_TO_AGREE = 8
TRIAL_SECONDS = 40.0
"""The longest specimen takes some 3 s; a trial that hangs must not use up a lent device."""
AMPLIFIERS = ("stretched",)
ISOLATIONS = ("", "+drained", "+serialized")
COMPARED = {"healthy", "cross-phase-contamination", "ordering-bug", "time-sensitive", "broken", "vacuous-control"}
NOBODY_SKEWED = "stream-not-seen"
HARNESS = "kvrace_tests/harness/"
"""Streams made there belong to one device and not to the test."""


@dataclass(frozen=True)
class Shard:
    """A part of the tests, for processes that run side by side."""

    index: int
    count: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        index, _, count = text.partition("/")
        return cls(int(index), int(count))

    def of(self, tests: Sequence[str]) -> Sequence[str]:
        return tests[self.index :: self.count]


def outcome(observation: Observation) -> str:
    ended = observation.outcome
    if observation.failure is None:
        return ended.value
    # Without the place: a line more in a file is no disagreement.
    said = signature(replace(observation.failure, file="", line=0))
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


@dataclass(frozen=True)
class Job:
    """What one call does."""

    out: Path
    against: Record | None
    seconds: float
    shard: Shard

    def plan(self, lab: Lab) -> list[tuple[str, str]]:
        """Tests and arms, the plain arms of all tests first: what time allows is then the most telling part."""
        wanted = [test for test in tests(lab) if self.against is None or test in self.against.tests]
        pairs = [(test, arm) for test in self.shard.of(wanted) for arm in self._arms(lab, test)]
        return sorted(pairs, key=lambda pair: ("skewed" in pair[1], pair[1].count("+")))

    def _arms(self, lab: Lab, test: str) -> list[str]:
        if self.against is None:
            return arms(lab, test)
        return [arm for arm in self.against.tests[test] if self.wanted(test, arm) != [SKIPPED]]

    def wanted(self, test: str, arm: str) -> list[str]:
        return self.against.outcomes(test, arm) if self.against else []


def run(job: Job, lab: Lab, record: Record) -> None:
    begun, left = time.monotonic(), [pair for pair in job.plan(lab) if pair[1] not in record.tests.get(pair[0], {})]
    for number, (test, arm) in enumerate(left):
        spent = time.monotonic() - begun
        if spent > job.seconds:
            print(f"stopped after {job.seconds:g} s, {len(left) - number} arms are left; the same command goes on")
            return
        done = tried(lab, test, arm, job.wanted(test, arm))
        record.tests.setdefault(test, {})[arm] = done
        record.environment = asdict(lab.environment())
        record.write(job.out)
        print(f"{spent:6.1f} s  {test.split('/')[-1]} under {arm}: {' | '.join(done.outcomes)}", flush=True)


@contextmanager
def lab_on(runtime: str) -> Iterator[PytestLab]:
    paths = [str(ROOT / "kvrace_tests"), str(ROOT / "kvrace_tests/specimens/emulated")]
    # The emulated device tells of every copy; on a real one torch does, and a batch given to the driver goes unheard.
    arguments = [*paths, "--kvrace-runtime", runtime, "--kvrace-copies", "single", "-p", "no:cacheprovider"]
    with tempfile.TemporaryDirectory() as folder, PytestLab(arguments, Path(folder), TRIAL_SECONDS) as lab:
        yield lab
        print(*lab.remarks(), sep="\n", end="\n" if lab.remarks() else "")


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
    runner.add_argument(
        "--shard", type=Shard.parse, default=Shard(0, 1), metavar="I/N", help="the I-th of N parts, from 0"
    )
    comparer = commands.add_parser("compare")
    comparer.add_argument("one", type=Path)
    comparer.add_argument("other", type=Path, nargs="+", help="one file, or those of all its shards")
    comparer.add_argument("--keep", type=Path, help="write the shards as one file")
    options = parser.parse_args(arguments)
    if options.command == "compare":
        other = merged([Record.read(path) for path in options.other])
        if options.keep:
            other.write(options.keep)
        return compare(Record.read(options.one), other)
    against = Record.read(options.against) if options.against else None
    record = Record.read(options.out) if options.out.exists() else Record()
    if options.again and against:
        record = agreed(record, against)
    with lab_on(options.runtime) as lab:
        run(Job(options.out, against, options.seconds, options.shard), lab, record)
    print(f"{len(record.tests)} tests on {options.runtime} are in {options.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
