"""One triage of a generated suite: inside this process on the emulated device, or by the command, as a user runs it."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.cross_suite import KINDS, Suite, generate

ROOT = Path(__file__).parent.parent
IN_FLIGHT = "passes on is work in flight"
MOST_RUNS = 100
"""Runs of a suite in which its failure must have shown: what fails in 3 % of them does so in 95 % of such series."""


@dataclass(frozen=True)
class Result:
    """One triage."""

    kind: str
    seed: int
    truth: str
    verdict: str
    grade: str
    named: bool
    """Whether the polluter is the one that was named."""
    told: bool
    """Whether work in flight and state were told apart rightly."""
    said: bool
    """Whether the finding says what was left behind."""
    trials: int
    """Those of a proposed fix included."""
    seconds: float
    before: int
    """Tests that run before the victim."""
    between: int
    """Of these, those that run after the polluter."""
    why: str
    runs: int = 1
    """Runs of the suite until it failed."""


def in_process(kind: str, seed: int) -> Result:
    """On the emulated device: the bot's own decision and probes, without processes."""
    from benchmarks.accuracy import Silent, Unlimited  # noqa: PLC0415 - not where only the command is measured
    from benchmarks.emulated_lab import EmulatedLab  # noqa: PLC0415 - as above
    from triage_bot.core.arms import Arm  # noqa: PLC0415 - as above
    from triage_bot.workflows.triage import Policy, Suspect, triage  # noqa: PLC0415 - as above

    suite = generate("emulated", KINDS[kind], seed)
    module = f"generated_{kind.replace('-', '_')}_{seed}"
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, f"{module}.py").write_text(suite.source, encoding="utf-8")
        sys.path.insert(0, folder)
        importlib.invalidate_caches()
        try:
            lab = EmulatedLab(module, seed, Path(folder))
            victim, *before = (f"{module}.py::{test}" for test in (suite.victim, *suite.before))
            in_order = Arm(in_order=True)
            # Ordinals below zero: schedules that no trial will have.
            seen = (lab.run(victim, in_order, -run, before).failure for run in range(1, MOST_RUNS + 1))
            runs, failure = next(((run, failure) for run, failure in enumerate(seen, 1) if failure), (MOST_RUNS, None))
            lab.trials, began = 0, time.monotonic()
            suspect = Suspect(victim, failure, tuple(before))
            (finding,) = triage([suspect], lab, Unlimited(), Policy(budget=None), Silent()).findings
        finally:
            sys.path.remove(folder)
            sys.modules.pop(module, None)
    verdict, grade = finding.verdict.value, finding.grade.value
    spent = time.monotonic() - began
    return _result(suite, seed, _Told(verdict, grade, finding.polluter, finding.why, lab.trials, spent, runs))


def by_command(kind: str, seed: int, runtime: str) -> Result:
    """A run of the suite that stops at its first failure, and ``triage-bot rerun`` on its report."""
    device = "torch" if runtime == "cuda" else "emulated"
    suite = generate(device, KINDS[kind], seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "test_generated.py").write_text(suite.source, encoding="utf-8")
        _write_settings(folder, runtime, seed)
        # On CUDA there is no kind that fails by chance, and a run costs seconds.
        most = 2 if runtime == "cuda" else MOST_RUNS
        runs = next((run for run in range(1, most + 1) if _fails(folder, run, device)), 0)
        if not runs:
            return _result(suite, seed, _Told("healthy", "", None, "the suite never failed", 0, 0.0, most))
        began = time.monotonic()
        command = ["-m", "triage_bot", "rerun", "--junit", "report.xml", "--suite", "test_generated.py"]
        ran = _python(folder, [*command, f"--runtime={runtime}"])
        spent = time.monotonic() - began
        if not (folder / "triage.json").exists():
            return _result(suite, seed, _Told("none", "", None, ran.stderr[-1500:], 0, spent, runs))
        document = json.loads((folder / "triage.json").read_text(encoding="utf-8"))
        trials = len((folder / ".triage" / "journal.jsonl").read_text(encoding="utf-8").splitlines()) - 1
    findings = [one for one in document["findings"] if one["test"].endswith(f"::{suite.victim}")]
    if not findings:
        why = f"another test failed: {[one['test'] for one in document['findings']]}"
        return _result(suite, seed, _Told("none", "", None, why, trials, spent, runs))
    found: dict[str, Any] = findings[0]
    told = _Told(found["verdict"], found["grade"], found["polluter"], found["why"], trials, spent, runs)
    return _result(suite, seed, told)


def _write_settings(folder: Path, runtime: str, seed: int) -> None:
    """What makes the folder a suite of its own; on the emulated device, with the fixtures of that device."""
    options = "" if runtime == "cuda" else f"-p kvrace_tests.conftest --kvrace-runtime=emulated --kvrace-seed={seed}"
    (folder / "pytest.ini").write_text(f"[pytest]\naddopts = {options}\n", encoding="utf-8")


@dataclass(frozen=True)
class _Told:
    verdict: str
    grade: str
    polluter: str | None
    why: str
    trials: int
    seconds: float
    runs: int


def _result(suite: Suite, seed: int, told: _Told) -> Result:
    kind = suite.kind
    positions = {test: at for at, test in enumerate(suite.tests)}
    # What the words say decides, wherever the verdict is a name for both.
    in_flight = IN_FLIGHT in told.why
    return Result(
        kind=kind.name,
        seed=seed,
        truth=kind.truth,
        verdict=told.verdict,
        grade=told.grade,
        named=(told.polluter or "").endswith(f"::{suite.polluter}"),
        told=told.verdict == kind.truth and in_flight is kind.asynchronous,
        said=kind.left in told.why,
        trials=told.trials,
        seconds=round(told.seconds, 2),
        before=len(suite.before),
        between=positions[suite.victim] - positions[suite.polluter] - 1,
        why=told.why,
        runs=told.runs,
    )


def _fails(folder: Path, run: int, device: str) -> bool:
    """By its report: a process whose device has failed may end in any way once that is written."""
    report = folder / "report.xml"
    report.unlink(missing_ok=True)
    seed = [f"--kvrace-seed={-run}"] if device == "emulated" else []
    arguments = ["-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "--junit-xml=report.xml", "test_generated.py"]
    ran = _python(folder, [*arguments, *seed])
    if not report.exists():
        raise RuntimeError(f"the suite did not run: {ran.stdout[-1500:]}{ran.stderr[-1500:]}")
    text = report.read_text(encoding="utf-8", errors="replace")
    return "<failure" in text or "<error" in text


def _python(folder: Path, arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path}
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
