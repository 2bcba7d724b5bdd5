"""Runs the bot's own decision over the emulated zoo, seed by seed, and prints truths against verdicts.

Each specimen is triaged as ``rerun --test`` does it, with no report to start from; one that fails by chance, or suffers
from an earlier test, as ``rerun --junit`` does it, with the failure and the order, and its polluter must be named. The
trials are those of the bot's probes, in this process. Every result is a line of a file, and a later call goes on where
an earlier one stopped; the table is kept as JSON.
Usage: python -m benchmarks.accuracy [--seeds 200] [--only PART] [--results F] [--summary F] [--seconds S] [--jobs N]
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from multiprocessing import Pool
from pathlib import Path

from benchmarks.emulated_lab import ROOT, EmulatedLab, Specimen, zoo
from triage_bot.core.arms import Arm
from triage_bot.core.experiment import Step
from triage_bot.core.findings import Finding
from triage_bot.core.trials import Trial
from triage_bot.workflows.triage import Policy, Suspect, Triaged, triage

RESULTS = ROOT / ".triage" / "accuracy-emulated.jsonl"
SUMMARY = ROOT / "benchmarks" / "results" / "accuracy-emulated.json"
UNDECIDED = {"inconclusive", "not-reproduced"}
"""Verdicts that name no cause: a miss, not an error."""
MOST_RUNS = 100
"""Runs of a module in which a failure that needs its order must have shown."""


@dataclass(frozen=True)
class Result:
    """One triage."""

    node_id: str
    seed: int
    truth: str
    verdict: str
    grade: str
    leaker: str
    trials: int
    seconds: float
    polluter: str = ""
    """Node id of the earlier test that was named; else empty."""


class Silent:
    """Watches and says nothing."""

    def starting(self, test: str, ordinal: int, step: Step) -> None:
        return None

    def observed(self, test: str, trial: Trial) -> None:
        return None


class Unlimited:
    """A clock that stands still: no budget is ever spent."""

    def seconds(self) -> float:
        return 0.0


def one(specimen: Specimen, seed: int) -> Result:
    lab = EmulatedLab(specimen.module, seed)
    began = time.monotonic()
    triaged = triage([suspect(specimen, seed)], lab, Unlimited(), Policy(budget=None), Silent())
    verdict, grade, leaker, polluter = _told(triaged)
    return Result(
        specimen.node_id,
        seed,
        specimen.truth,
        verdict,
        grade,
        leaker,
        lab.trials,
        round(time.monotonic() - began, 3),
        polluter,
    )


def suspect(specimen: Specimen, seed: int) -> Suspect:
    """The test alone; where it suffers from an earlier one, or from chance, what the report of a red run tells."""
    if not specimen.polluter and specimen.truth != "flaky":
        return Suspect(specimen.node_id)
    lab = EmulatedLab(specimen.module, seed)
    tests = [test.node_id for test in lab.collected()] if specimen.polluter else [specimen.node_id]
    before = tests[: tests.index(specimen.node_id)]
    arm = Arm(in_order=bool(before))
    # Ordinals below zero: schedules that no trial will have.
    runs = (lab.run(specimen.node_id, arm, -run, before) for run in range(1, MOST_RUNS))
    return Suspect(specimen.node_id, next((seen.failure for seen in runs if seen.failure), None), tuple(before))


def _told(triaged: Triaged) -> tuple[str, str, str, str]:
    if not triaged.findings:
        return "healthy", "", "", ""
    finding: Finding = triaged.findings[0]
    leaker = finding.witness.leaker.value if finding.witness else ""
    return finding.verdict.value, finding.grade.value, leaker, finding.polluter or ""


def right(result: Result, specimen: Specimen) -> bool:
    if result.verdict != specimen.truth:
        return False
    named = not specimen.polluter or result.polluter.endswith(f"::{specimen.polluter}")
    return named and (not specimen.leaker or result.leaker == specimen.leaker)


def read(path: Path) -> list[Result]:
    if not path.exists():
        return []
    return [Result(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


@dataclass(frozen=True)
class Row:
    """All triages of one truth."""

    truth: str
    verdicts: dict[str, int]
    trials_mean: float
    trials_most: int


@dataclass(frozen=True)
class Table:
    """Truths against verdicts."""

    triages: int
    seeds: int
    wrong: list[Result]
    undecided: int
    rows: list[Row]

    @classmethod
    def of(cls, results: Sequence[Result], specimens: Sequence[Specimen]) -> Table:
        known = {specimen.node_id: specimen for specimen in specimens}
        missed = [result for result in results if not right(result, known[result.node_id])]
        return cls(
            triages=len(results),
            seeds=len({result.seed for result in results}),
            wrong=[result for result in missed if result.verdict not in UNDECIDED],
            undecided=sum(result.verdict in UNDECIDED for result in missed),
            rows=[_row(truth, results) for truth in sorted({result.truth for result in results})],
        )

    def show(self) -> None:
        print(f"{'truth':27} {'triages':>8} {'trials':>7} {'most':>5}  verdicts")
        for row in self.rows:
            said = ", ".join(f"{verdict} {count}" for verdict, count in row.verdicts.items())
            print(f"{row.truth:27} {sum(row.verdicts.values()):8} {row.trials_mean:7.1f} {row.trials_most:5}  {said}")
        share = f"{self.undecided / max(self.triages, 1):.2%}"
        print(
            f"{self.triages} triages, {self.seeds} seeds: {len(self.wrong)} wrong, {self.undecided} undecided ({share})"
        )
        for result in self.wrong[:20]:
            print(f"WRONG: {result}")


def _row(truth: str, results: Sequence[Result]) -> Row:
    mine = [result for result in results if result.truth == truth]
    trials = [result.trials for result in mine]
    verdicts = dict(Counter(result.verdict for result in mine).most_common())
    return Row(truth, verdicts, round(sum(trials) / len(trials), 1), max(trials))


def until(end: float, task: tuple[Specimen, int]) -> Result | None:
    """None: it was too late to begin."""
    return one(*task) if time.monotonic() <= end else None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--only", default="", help="part of a node id")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--summary", type=Path, help=f"keep the table as JSON, such as {SUMMARY.relative_to(ROOT)}")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so long; call again to go on")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    options = parser.parse_args()
    specimens = [one for one in zoo() if options.only in one.node_id]
    done = read(options.results)
    known = {(result.node_id, result.seed) for result in done}
    todo = [
        (specimen, seed)
        for seed in range(options.seeds)
        for specimen in specimens
        if (specimen.node_id, seed) not in known
    ]
    options.results.parent.mkdir(parents=True, exist_ok=True)
    work = partial(until, time.monotonic() + options.seconds)
    with options.results.open("a", encoding="utf-8") as file, Pool(options.jobs) as pool:
        for result in filter(None, pool.imap_unordered(work, todo)):
            done.append(result)
            file.write(json.dumps(asdict(result)) + "\n")
            file.flush()
    node_ids = {specimen.node_id for specimen in specimens}
    table = Table.of([result for result in done if result.node_id in node_ids], specimens)
    table.show()
    if options.summary:
        options.summary.parent.mkdir(parents=True, exist_ok=True)
        options.summary.write_text(json.dumps(asdict(table), indent=1) + "\n", encoding="utf-8")
    return 1 if table.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
