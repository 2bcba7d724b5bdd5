"""What reading a large report costs here and in other readers: seconds and memory at the peak, side by side.

Usage: python -m benchmarks.reading [--cases N…] [--rounds 3] [--junit2html CMD] [--ctrf CMD] [--limit S] [--out F]
Each reader runs in a process of its own, interpreter start included, the readers in turn within a round; the fastest
round counts. A command that is not given, or not there, is left out. ``--limit`` ends a reader that takes too long.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

OURS = "from triage_bot.adapters.junit.reading import read_reports\nprint(read_reports([sys.argv[1]])[0].counts.tests)"
LXML = """
from lxml import etree
count = 0
for _, element in etree.iterparse(sys.argv[1], tag="testcase", huge_tree=True):
    count += 1
    element.clear()
    while element.getprevious() is not None:
        del element.getparent()[0]
print(count)
"""
JUNITPARSER = """
from junitparser.xunit2 import JUnitXml
print(sum(1 for suite in JUnitXml.fromfile(sys.argv[1]) for _ in suite))
"""
_ENDED = 124
"""Exit code of ``timeout`` for a command that it ended."""
QUOTED = {"EnricoMi/publish-unit-test-result-action, 1,000,000 cases": "18 s, 2.4 GiB; a figure measured elsewhere"}


@dataclass(frozen=True)
class Cost:
    """The fastest round of one reader on one report."""

    reader: str
    cases: int
    seconds: float | None
    """None when it failed or was ended."""
    peak_mib: int | None
    said: str


def write(path: Path, cases: int) -> None:
    """A report as pytest writes it: long names, 200 tests a class, one failure in a thousand."""
    with path.open("w", encoding="utf-8") as file:
        file.write(
            '<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite name="pytest" errors="0" '
            f'failures="{cases // 1000}" skipped="0" tests="{cases}" time="1.0" '
            'timestamp="2026-11-30T22:54:17.702631+00:00" hostname="vm">'
        )
        for at in range(cases):
            classname = f"tests.package_{at // 5000:03d}.test_module_{at // 200:05d}.TestKernels"
            name = f"test_matches_the_reference_{at % 200:03d}[float16-cuda:0-shape{at % 17}-contiguous-{at}]"
            case = f'<testcase classname="{classname}" name="{name}" time="0.013"'
            trace = "kernel = launch(grid, block)\n" * 40 + "tests/ops.py:3: AssertionError"
            failed = f'><failure message="AssertionError: 1 != 2">{trace}</failure></testcase>'
            file.write(case + (failed if at % 1000 == 999 else " />"))
        file.write("</testsuite></testsuites>")


def run(command: list[str], limit: float) -> tuple[float | None, int | None, str]:
    """Seconds, peak MiB and last line of a command."""
    begun = time.perf_counter()
    with tempfile.TemporaryFile() as told:
        child = subprocess.Popen(["timeout", str(limit), *command], stdout=told, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - begun
        child.returncode = os.waitstatus_to_exitcode(status)
        told.seek(0)
        lines = told.read().decode(errors="replace").strip().splitlines() or [""]
    if child.returncode:
        ended = (
            f"ended after {limit:g} s" if child.returncode == _ENDED else f"exit {child.returncode}: {lines[-1][:80]}"
        )
        return None, None, ended
    return round(seconds, 3), usage.ru_maxrss // 1024, lines[-1][:100]


def readers(asked: argparse.Namespace, folder: Path) -> dict[str, list[str]]:
    """Each reader's command; the report's path goes where ``REPORT`` stands."""
    python = [sys.executable, "-c"]
    known = {
        "triage-bot": [*python, f"import sys\n{OURS}", "REPORT"],
        "lxml.iterparse alone": [*python, f"import sys\n{LXML}", "REPORT"],
        f"junitparser {version('junitparser')}": [*python, f"import sys\n{JUNITPARSER}", "REPORT"],
    }
    if asked.ctrf and shutil.which(asked.ctrf):
        known["junit-to-ctrf"] = [asked.ctrf, "REPORT", "-o", str(folder / "ctrf.json")]
    if asked.junit2html and shutil.which(asked.junit2html):
        known["junit2html"] = [asked.junit2html, "REPORT", str(folder / "report.html")]
    return known


def measure(asked: argparse.Namespace, folder: Path) -> list[Cost]:
    costs: list[Cost] = []
    for cases in asked.cases:
        report = folder / f"{cases}.xml"
        write(report, cases)
        best: dict[str, Cost] = {}
        for _ in range(asked.rounds):
            for reader, command in readers(asked, folder).items():
                if reader in best and best[reader].seconds is None:
                    continue
                cost = Cost(reader, cases, *run([part.replace("REPORT", str(report)) for part in command], asked.limit))
                if reader not in best or (cost.seconds or 0) < (best[reader].seconds or 0):
                    best[reader] = cost
        for cost in best.values():
            spent = "failed" if cost.seconds is None else f"{cost.seconds:.2f} s  {cost.peak_mib} MiB"
            print(f"{cost.cases:>9,}  {cost.reader:<24} {spent}  {cost.said}", flush=True)
        costs.extend(best.values())
        report.unlink()
    return costs


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=float, default=120, help="seconds after which a reader is ended")
    parser.add_argument("--junit2html", help="command of PyPI's junit2html")
    parser.add_argument("--ctrf", help="command of npm's junit-to-ctrf")
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        costs = measure(asked, Path(folder))
    told = {
        "machine": {"cores": os.cpu_count(), "python": platform.python_version(), "load": round(os.getloadavg()[0], 1)},
        "costs": [asdict(cost) for cost in costs],
        "quoted": QUOTED,
    }
    if asked.out:
        asked.out.parent.mkdir(parents=True, exist_ok=True)
        asked.out.write_text(json.dumps(told, indent=2) + "\n")
    largest = {cost.reader.split()[0]: cost for cost in costs if cost.cases == max(asked.cases)}
    ours, lxml = largest["triage-bot"], largest["lxml.iterparse"]
    if ours.seconds is None or lxml.seconds is None or ours.peak_mib is None:
        return 1
    print(f"{ours.seconds / lxml.seconds:.2f} times lxml.iterparse alone, {ours.peak_mib} MiB")
    return int(ours.seconds > 2.5 * lxml.seconds or ours.peak_mib > 200)


if __name__ == "__main__":
    sys.exit(main())
