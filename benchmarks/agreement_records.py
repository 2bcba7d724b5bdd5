"""What the arms of tests showed on a device, kept as JSON, and whether two devices agree."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from triage_bot.core.results import Outcome

SKIPPED = Outcome.SKIPPED.value


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


def merged(shards: Sequence[Record]) -> Record:
    """Records of one device as one, in the order of their tests: all arms that any of them tried."""
    tests: dict[str, dict[str, Tried]] = {}
    for shard in shards:
        for test, arms in shard.tests.items():
            tests.setdefault(test, {}).update(arms)
    return Record(shards[0].environment, dict(sorted(tests.items())))


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
