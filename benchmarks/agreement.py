"""Do the emulated device and a real one agree? The same cases and specimens under the same arms, on each.

Usage, once on each machine and then anywhere:
  python -m benchmarks.agreement run --runtime emulated --out emulated.json
  python -m benchmarks.agreement run --runtime cuda --out cuda.json [--seconds S]   (call again to go on)
  python -m benchmarks.agreement compare emulated.json cuda.json
An arm agrees when both devices showed at least one outcome in common: passed, vacuous, or failed. What hangs on chance
in time, such as an as-is flake, is so compared by what it can do and not by how often.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.emulated_lab import ROOT, zoo
from kvrace_tests.cases.table import CASES
from triage_bot.core.arms import Arm
from triage_bot.core.signatures import match
from triage_bot.core.trials import Observation
from triage_bot.lab.pytest_lab import PytestLab

TRIALS = 2
ISOLATIONS = ("", "+drained", "+serialized")
COMPARED = {"cross-phase-contamination", "ordering-bug", "time-sensitive", "broken", "vacuous-control"}
Seen = dict[str, dict[str, list[str]]]
"""Outcomes by test and arm."""


def outcome(observation: Observation) -> str:
    failure = observation.failure
    if failure is None:
        return observation.outcome.value
    rule = match(f"{failure.type}: {failure.message}")
    return "vacuous" if rule is not None and rule.family == "vacuous-control" else "failed"


def tests(lab: PytestLab) -> list[str]:
    """The cases, and the specimens whose truth does not need an earlier test or plain luck."""
    truths = {specimen.node_id: specimen.truth for specimen in zoo()}
    cases = {f"kvrace_tests/cases/{module}.py" for module in CASES.values()}
    return [
        test.node_id
        for test in lab.collected()
        if truths.get(test.node_id) in COMPARED or test.node_id.split("::")[0] in cases
    ]


def run(runtime: str, out: Path, seconds: float) -> None:
    seen: Seen = json.loads(out.read_text(encoding="utf-8")) if out.exists() else {}
    end = time.monotonic() + seconds
    paths = [str(ROOT / "kvrace_tests"), str(ROOT / "kvrace_tests/specimens/emulated")]
    arguments = [*paths, "--kvrace-runtime", runtime, "-p", "no:cacheprovider"]
    with tempfile.TemporaryDirectory() as folder, PytestLab(arguments, Path(folder)) as lab:
        for test in tests(lab):
            if test in seen or time.monotonic() > end:
                continue
            seen[test] = _arms(lab, test)
            out.write_text(json.dumps(seen, indent=1) + "\n", encoding="utf-8")
    print(f"{len(seen)} tests on {runtime} are in {out}")


def _arms(lab: PytestLab, test: str) -> dict[str, list[str]]:
    first = lab.run(test, Arm(), 0)
    streams = dict.fromkeys(stream.name for stream in first.streams if stream.name != "default")
    amplifiers = ["stretched", *(f"skewed:{stream}" for stream in streams)]
    names = ["as-is", *(amplifier + isolation for amplifier in amplifiers for isolation in ISOLATIONS)]
    seen = {}
    for name in names:
        arm = Arm.parse(name)
        seen[name] = sorted({outcome(lab.run(test, arm, ordinal)) for ordinal in range(TRIALS)})
    return seen


def compare(one: Path, other: Path) -> int:
    left: Seen = json.loads(one.read_text(encoding="utf-8"))
    right: Seen = json.loads(other.read_text(encoding="utf-8"))
    compared = 0
    apart = []
    for test in left.keys() & right.keys():
        for arm in left[test].keys() & right[test].keys():
            compared += 1
            if not set(left[test][arm]) & set(right[test][arm]):
                apart.append((test, arm, left[test][arm], right[test][arm]))
    for test, arm, mine, theirs in sorted(apart):
        print(f"APART: {test} under {arm}: {'/'.join(mine)} on one, {'/'.join(theirs)} on the other")
    print(f"{len(left.keys() & right.keys())} tests, {compared} arms compared, {len(apart)} apart")
    return 1 if apart or not compared else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    runner = commands.add_parser("run")
    runner.add_argument("--runtime", choices=("cuda", "emulated"), required=True)
    runner.add_argument("--out", type=Path, required=True)
    runner.add_argument("--seconds", type=float, default=float("inf"))
    comparer = commands.add_parser("compare")
    comparer.add_argument("one", type=Path)
    comparer.add_argument("other", type=Path)
    options = parser.parse_args()
    if options.command == "compare":
        return compare(options.one, options.other)
    run(options.runtime, options.out, options.seconds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
