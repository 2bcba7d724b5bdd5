"""Is the test named that another cannot stand? Generated suites of 200 tests: a victim, a polluter, innocent ones.

What the polluter leaves behind is the kind of the suite; where it stands, and what else there is, its seed says. A
triage is right when it names the polluter and tells work in flight from state. Every result is a line of a file, and a
later call goes on where an earlier one stopped; the table is kept as JSON.

On the emulated device triages run inside this process, or with ``--command`` as a user runs them; on CUDA always so:
    python -m benchmarks.cross_test --seeds 200 --summary FILE
    python -m benchmarks.cross_test --runtime cuda --seeds 2 --workers 4 --seconds 200 --results FILE --summary FILE
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path

from benchmarks.cross_runs import ROOT, Result, by_command, in_process
from benchmarks.cross_suite import KINDS, kinds

RESULTS = ROOT / ".triage"
LEAST_NAMED = 0.95
MOST_TRIALS = 40
FILLS = "memory"
"""A kind that fills a real device: nothing may run beside it, so it comes last."""

Job = tuple[str, int]
"""Kind and seed."""


@dataclass(frozen=True)
class Row:
    """All triages of one kind."""

    kind: str
    truth: str
    triages: int
    named: float
    """Share in which the polluter was named."""
    told: float
    """Share in which work in flight and state were told apart."""
    said: float
    """Share in which the finding says what was left behind."""
    verdicts: dict[str, int]
    trials_mean: float
    trials_most: int
    seconds_mean: float

    @classmethod
    def of(cls, kind: str, results: Sequence[Result]) -> Row:
        count = len(results)
        return cls(
            kind=kind,
            truth=results[0].truth,
            triages=count,
            named=round(sum(one.named for one in results) / count, 4),
            told=round(sum(one.told for one in results) / count, 4),
            said=round(sum(one.said for one in results) / count, 4),
            verdicts=dict(Counter(f"{one.verdict} {one.grade}" for one in results).most_common()),
            trials_mean=round(sum(one.trials for one in results) / count, 1),
            trials_most=max(one.trials for one in results),
            seconds_mean=round(sum(one.seconds for one in results) / count, 1),
        )


@dataclass(frozen=True)
class Table:
    """All kinds, and what was not right."""

    runtime: str
    lab: str
    tests: int
    triages: int
    named: float
    told: float
    trials_most: int
    """Of the kinds that do not fail by chance."""
    rows: list[Row]
    missed: list[Result]

    @classmethod
    def of(cls, runtime: str, lab: str, results: Sequence[Result]) -> Table:
        by_kind = {
            kind: [one for one in results if one.kind == kind] for kind in dict.fromkeys(r.kind for r in results)
        }
        return cls(
            runtime=runtime,
            lab=lab,
            tests=200,
            triages=len(results),
            named=round(sum(one.named for one in results) / len(results), 4),
            told=round(sum(one.told for one in results) / len(results), 4),
            trials_most=max((one.trials for one in results if not KINDS[one.kind].by_chance), default=0),
            rows=[Row.of(kind, found) for kind, found in by_kind.items()],
            missed=[one for one in results if not (one.named and one.told and one.said)],
        )

    @property
    def holds(self) -> bool:
        return self.named >= LEAST_NAMED and self.told == 1 and self.trials_most <= MOST_TRIALS

    def show(self) -> None:
        print(
            f"{'left behind':13} {'triages':>7} {'named':>7} {'told':>7} {'said':>7} {'trials':>6} {'most':>4} {'s':>6}"
        )
        for row in self.rows:
            shares = " ".join(f"{share:7.1%}" for share in (row.named, row.told, row.said))
            cost = f"{row.trials_mean:6.1f} {row.trials_most:4} {row.seconds_mean:6.1f}"
            print(f"{row.kind:13} {row.triages:7} {shares} {cost}  {row.verdicts}")
        print(f"{self.triages} triages: polluter named in {self.named:.1%}, at most {self.trials_most} trials")
        print(f"work in flight and state told apart in {self.told:.1%}")
        for result in self.missed[:20]:
            print(f"NOT RIGHT: {result}")


def read(path: Path) -> list[Result]:
    if not path.exists():
        return []
    return [Result(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def work(
    jobs: Sequence[Job], one: Callable[[Job], Result], pool: Executor, workers: int, end: float
) -> Iterator[Result]:
    """Results as they come; none is begun after the end."""
    queue = list(jobs)
    running: set[Future[Result]] = set()
    while running or (queue and time.monotonic() < end):
        while queue and len(running) < workers and time.monotonic() < end:
            running.add(pool.submit(one, queue.pop(0)))
        done, running = wait(running, return_when=FIRST_COMPLETED)
        yield from (future.result() for future in done)


class _Runner:
    """Can be sent to a process."""

    def __init__(self, runtime: str, *, command: bool) -> None:
        self._runtime, self._command = runtime, command

    def __call__(self, job: Job) -> Result:
        return by_command(*job, self._runtime) if self._command else in_process(*job)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runtime", choices=("emulated", "cuda"), default="emulated")
    parser.add_argument("--command", action="store_true", help="by the command, also on the emulated device")
    parser.add_argument("--seeds", type=int, default=200, help="of each kind")
    parser.add_argument("--only", default="", help="kinds, by comma")
    parser.add_argument("--workers", type=int, default=1, help="triages at a time")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin nothing after so long; call again")
    parser.add_argument("--results", type=Path, help="one line a triage")
    parser.add_argument("--summary", type=Path, help="keep the table as JSON")
    options = parser.parse_args()
    end = time.monotonic() + options.seconds
    command = options.command or options.runtime == "cuda"
    lab = "command" if command else "process"
    path = options.results or RESULTS / f"cross-test-{options.runtime}-{lab}.jsonl"
    known = kinds("torch" if options.runtime == "cuda" else "emulated")
    wanted = [kind.name for kind in known if not options.only or kind.name in options.only.split(",")]
    done = [result for result in read(path) if result.kind in wanted]
    finished = {(result.kind, result.seed) for result in done}
    jobs = [(kind, seed) for seed in range(options.seeds) for kind in wanted if (kind, seed) not in finished]
    path.parent.mkdir(parents=True, exist_ok=True)
    pool = ThreadPoolExecutor if command else ProcessPoolExecutor
    with path.open("a", encoding="utf-8") as file, pool(options.workers) as workers:
        filling = [job for job in jobs if options.runtime == "cuda" and job[0] == FILLS]
        one = _Runner(options.runtime, command=command)
        results = chain(
            work([job for job in jobs if job not in filling], one, workers, options.workers, end),
            work(filling, one, workers, 1, end),
        )
        for result in results:
            done.append(result)
            file.write(json.dumps(asdict(result)) + "\n")
            file.flush()
    if not done:
        parser.error("nothing was measured: give it more --seconds")
    table = Table.of(options.runtime, lab, done)
    table.show()
    if options.summary:
        options.summary.parent.mkdir(parents=True, exist_ok=True)
        options.summary.write_text(json.dumps(asdict(table), indent=1) + "\n", encoding="utf-8")
    return 0 if table.holds else 1


if __name__ == "__main__":
    sys.exit(main())
