"""Other tools beside ``triage-bot rerun`` on the same generated suites: who names the polluter, and what it left.

The suites run on the emulated device, so no GPU is needed. Each tool is told as much as it takes: the failing test and
the tests before it where it asks for them, the folder alone where not. The tools live in an environment of their own,
made when this is first run. Kept of each: pytest runs, seconds, whether the polluter is named, and its own words.

    python -m benchmarks.cross_test_tools [--only kernels,setting] [--limit 300] [--seed 0] [--summary FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.cross_runs import IN_FLIGHT, MOST_RUNS, ROOT
from benchmarks.cross_suite import KINDS, Suite, generate

PACKAGES = ("detect-test-pollution==1.2.0", "whyflaky==0.1.0", "flake-exorcist==0.1.0", "pytest>=8,<10")
HOME = ROOT / ".triage" / "cross-test-tools"
SUMMARY = ROOT / "benchmarks" / "results" / "cross_test_tools.json"
MODULE = "test_generated.py"
COUNTER = """
import os
from pathlib import Path

pytest_plugins = ["kvrace_tests.conftest"]
RUNS = Path(os.environ["GENERATED_RUNS"])

def pytest_configure(config):
    config.option.kvrace_runtime = "emulated"
    config.option.kvrace_seed = 1000 * len(RUNS.read_text().split())

def pytest_runtestloop(session):
    if not session.config.option.collectonly:
        with RUNS.open("a") as file:
            file.write(f"{len(session.items)}\\n")
"""
"""Counts the runs of the suite and their tests, and gives each run a schedule of its own, as on a real device.

It brings the fixtures too: not every tool heeds the options in ``pytest.ini``."""


@dataclass(frozen=True)
class Tool:
    """How a tool is asked, and how its answer is read."""

    name: str
    command: Callable[[Path, Suite], list[str]]
    polluter: str
    """Expression that finds the name of the polluter in what the tool prints."""
    causes: dict[str, str]
    """Words of the tool → ``async`` or ``state``. The first that it says counts."""


@dataclass(frozen=True)
class Outcome:
    """What a tool made of a suite."""

    tool: str
    kind: str
    truth: str
    """``async`` or ``state``."""
    named: bool
    blamed: str
    """Whom it named; empty when nobody."""
    cause: str
    """``async``, ``state``, or empty when it tells none."""
    right_cause: bool
    runs: int
    """Processes that ran tests."""
    tests: int
    """Tests that these ran, all together."""
    seconds: float
    ended: str
    words: str
    """The end of what it printed."""


def _detect_test_pollution(folder: Path, suite: Suite) -> list[str]:
    tests = folder / "tests.txt"
    node_ids = [f"{MODULE}::{test}" for test in (*suite.before, suite.victim)]
    tests.write_text("\n".join(node_ids) + "\n", encoding="utf-8")
    asked = ["--failing-test", node_ids[-1], "--testids-file", str(tests)]
    return [str(HOME / "bin" / "detect-test-pollution"), *asked]


def _whyflaky(folder: Path, suite: Suite) -> list[str]:
    return [str(HOME / "bin" / "whyflaky"), "scan", ".", "--quiet"]


def _flake_exorcist(folder: Path, suite: Suite) -> list[str]:
    return [str(HOME / "bin" / "exorcist"), "hunt", ".", "--fast", "--json"]


def _triage_bot(folder: Path, suite: Suite) -> list[str]:
    asked = ["--junit", "report.xml", "--suite", MODULE, "--runtime", "emulated"]
    return [sys.executable, "-m", "triage_bot", "rerun", *asked]


TOOLS = (
    Tool("triage-bot", _triage_bot, r"never fails alone, and does after \S*::(test_\d+)", {}),
    Tool("detect-test-pollution", _detect_test_pollution, r"the polluting test is: \S*::(test_\d+)", {}),
    Tool("whyflaky", _whyflaky, r"polluter\(s\): \S*::(test_\d+)", {"state pollution": "state"}),
    Tool("flake-exorcist", _flake_exorcist, r'"polluter_node_id": "\S*::(test_\d+)"', {}),
)


def ask(tool: Tool, suite: Suite, limit: float) -> Outcome:
    """One tool on one suite, in a folder of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / MODULE).write_text(suite.source, encoding="utf-8")
        (folder / "conftest.py").write_text(COUNTER, encoding="utf-8")
        (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
        runs = folder / "runs.txt"
        runs.touch()
        path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
        environment = {**os.environ, "PYTHONPATH": path, "GENERATED_RUNS": str(runs), "COLUMNS": "200"}
        report = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-x",
            "-p",
            "no:cacheprovider",
            "--junit-xml=report.xml",
            MODULE,
        ]
        for _ in range(MOST_RUNS):
            if subprocess.run(report, cwd=folder, env=environment, capture_output=True, check=False).returncode:
                break
        runs.write_text("", encoding="utf-8")
        began = time.monotonic()
        ended, printed = _run(tool.command(folder, suite), folder, environment, limit)
        seconds = time.monotonic() - began
        if tool.name == "triage-bot":
            ended, printed = _own(folder, runs, ended, printed)
        tests = [int(line) for line in runs.read_text(encoding="utf-8").split()]
    return _outcome(tool, suite, _Asked(tests, seconds, ended, printed))


def _own(folder: Path, runs: Path, ended: str, printed: str) -> tuple[str, str]:
    """Our trials run no session of pytest each: they are counted from the journal."""
    if not (folder / "triage.json").exists():
        return ended, printed
    found = json.loads((folder / "triage.json").read_text(encoding="utf-8"))["findings"]
    lines = (folder / ".triage" / "journal.jsonl").read_text(encoding="utf-8").splitlines()[1:]
    counts = [1 + len(json.loads(line)["before"]) for line in lines]
    runs.write_text("\n".join(map(str, counts)), encoding="utf-8")
    return ended, "\n".join(f"{one['verdict']} ({one['grade']}): {one['why']}" for one in found)


def _run(command: Sequence[str], folder: Path, environment: dict[str, str], limit: float) -> tuple[str, str]:
    log = folder / "printed.log"
    with log.open("wb") as output:
        started = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            ended = f"exit {started.wait(limit)}"
        except subprocess.TimeoutExpired:
            ended = f"stopped after {limit:g} s"
            # What it started goes too, or the folder would still be written to.
            os.killpg(started.pid, signal.SIGKILL)
            started.wait()
    return ended, log.read_text(encoding="utf-8", errors="replace")


@dataclass(frozen=True)
class _Asked:
    tests: list[int]
    """How many each run ran."""
    seconds: float
    ended: str
    printed: str


def _outcome(tool: Tool, suite: Suite, asked: _Asked) -> Outcome:
    printed = asked.printed
    blamed = re.search(tool.polluter, printed)
    truth = "async" if suite.kind.asynchronous else "state"
    if tool.name == "triage-bot":
        cause = "async" if IN_FLIGHT in printed else "state" if "passes on is state" in printed else ""
    else:
        cause = next((cause for words, cause in tool.causes.items() if words in printed), "")
    return Outcome(
        tool=tool.name,
        kind=suite.kind.name,
        truth=truth,
        named=blamed is not None and blamed[1] == suite.polluter,
        blamed=blamed[1] if blamed else "",
        cause=cause,
        right_cause=cause == truth,
        runs=len(asked.tests),
        tests=sum(asked.tests),
        seconds=round(asked.seconds, 1),
        ended=asked.ended,
        words=printed.strip()[-1200:],
    )


def install() -> None:
    """The tools, in an environment of their own."""
    if (HOME / "bin" / "exorcist").exists():
        return
    venv.create(HOME, with_pip=True)
    pip = [str(HOME / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, *PACKAGES], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="kernels,window,setting,environment", help="kinds, by comma")
    parser.add_argument("--tools", default=",".join(tool.name for tool in TOOLS), help="tools, by comma")
    parser.add_argument("--limit", type=float, default=600.0, help="seconds that a tool may take for a suite")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--summary", type=Path, default=SUMMARY, help="what earlier calls kept there is gone on with")
    options = parser.parse_args()
    install()
    kept = json.loads(options.summary.read_text(encoding="utf-8")) if options.summary.exists() else []
    done = [Outcome(**one) for one in kept]
    for kind in options.only.split(","):
        suite = generate("emulated", KINDS[kind], options.seed)
        for tool in TOOLS:
            known = any((one.tool, one.kind) == (tool.name, kind) for one in done)
            if known or tool.name not in options.tools.split(","):
                continue
            done.append(ask(tool, suite, options.limit))
            options.summary.parent.mkdir(parents=True, exist_ok=True)
            options.summary.write_text(json.dumps([asdict(one) for one in done], indent=1) + "\n", encoding="utf-8")
    print(f"{'suite':12} {'tool':22} {'polluter':>9} {'cause':>6} {'runs':>5} {'tests':>6} {'s':>7}  ended")
    for one in done:
        named = "named" if one.named else "wrong" if one.blamed else "-"
        cause = f"{one.cause}{'' if one.right_cause else '!'}" if one.cause else "-"
        print(
            f"{one.kind:12} {one.tool:22} {named:>9} {cause:>6} {one.runs:5} {one.tests:6} {one.seconds:7}  {one.ended}"
        )


if __name__ == "__main__":
    main()
