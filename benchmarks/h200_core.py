"""Measures the core on a CUDA device: the suite, the verdicts on the plain torch specimens, and what a trial costs.

    python -m benchmarks.h200_core --out results [--resume results/h200_core.json] [--seconds 600] [--only origin,…]

Each step is written to ``h200_core.json`` as soon as it is done. A later call with ``--resume`` goes on where that file
ends, so the whole may be spread over several short leases of a device. Needs torch, the bot's dependencies, and for the
comparison pytest-rerunfailures and pytest-flakefinder.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from threading import Lock
from typing import Any

import torch

from benchmarks.h200_suite import beside_neighbours, suite
from benchmarks.h200_trials import ORIGIN, ROOT, SPECIMENS, healthy, rerun_cost, trial_cost

SUITE_RUNS = 20
BUSY_RUNS = 5
VERDICT_RUNS = 3
LANES = {"rounds": 4, "healthy": 12}
"""How many steps of a part run beside each other on the device; the others run alone, because they are timed."""

Result = dict[str, Any]


@dataclass(frozen=True)
class Step:
    """A measurement that is kept once it is done."""

    part: str
    key: str
    seconds: float
    """About how long it takes."""
    run: Callable[[], Result]


@dataclass(frozen=True)
class Specimen:
    """A test with its truth."""

    node_id: str
    truth: str
    leaker: str
    stream: str

    @property
    def name(self) -> str:
        return self.node_id.rsplit("::", 1)[1]


def specimens() -> list[Specimen]:
    found = []
    for path in sorted(SPECIMENS.glob("test_*.py")):
        told = {
            node.targets[0].id: ast.literal_eval(node.value)
            for node in ast.parse(path.read_text(encoding="utf-8")).body
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
            if node.targets[0].id in {"TRUTH", "LEAKER", "LEAKING_STREAM"}
        }
        for name, truth in told["TRUTH"].items():
            node_id = f"{path.relative_to(ROOT).as_posix()}::{name}"
            found.append(Specimen(node_id, truth, told.get("LEAKER", ""), told.get("LEAKING_STREAM", "")))
    return found


def steps() -> Iterator[Step]:
    defects = [specimen for specimen in specimens() if specimen.truth != "healthy"]
    yield Step("doctor", "doctor", 10, doctor)
    for run in range(VERDICT_RUNS):
        yield Step("origin", f"origin-{run}", 40, lambda: verdicts([s for s in defects if s.name == ORIGIN]))
    for run in range(VERDICT_RUNS):
        for other in defects:
            if other.name != ORIGIN:
                yield Step("rounds", f"round-{run}-{other.name}", 40, partial(verdicts, [other]))
    yield Step("spawned", "spawned", 90, spawned)
    yield Step("cost", "trial", 60, trial_cost)
    for way in ("plain", "rerunfailures", "flakefinder"):
        yield Step("cost", f"rerun-{way}", 30, lambda way=way: rerun_cost(way))
    for twin in specimens():
        if twin.truth == "healthy":
            yield Step("healthy", f"healthy-{twin.name}", 90, partial(healthy, twin.node_id))
    for run in range(SUITE_RUNS):
        yield Step("suite", f"suite-{run}", 12, suite)
    for run in range(BUSY_RUNS):
        yield Step("busy", f"busy-{run}", 30, beside_neighbours)


def doctor() -> Result:
    ran = subprocess.run(
        [sys.executable, "-m", "triage_bot", "doctor"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return {"text": ran.stdout.splitlines()}


def spawned() -> Result:
    """The mirror specimen in a module that initializes CUDA when it is imported: no fork can use the device."""
    (mirror,) = [
        specimen for specimen in specimens() if specimen.leaker == "code-under-test" and specimen.truth != "healthy"
    ]
    source = (ROOT / mirror.node_id.split("::")[0]).read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        module = Path(folder) / "test_initializes.py"
        module.write_text(source.replace("\nTRUTH", '\ntorch.zeros(1, device="cuda")\nTRUTH', 1), encoding="utf-8")
        return verdicts([replace(mirror, node_id=f"{module}::{mirror.name}")])


def verdicts(wanted: list[Specimen]) -> Result:
    """One call of the command on some specimens, from command to verdict."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "triage.json"
        files = sorted({specimen.node_id.split("::")[0] for specimen in wanted})
        command = [sys.executable, "-m", "triage_bot", "rerun", "--runtime", "cuda", "--out", str(out)]
        command += [word for specimen in wanted for word in ("--test", specimen.name)]
        command += [word for file in files for word in ("--suite", str(ROOT / file))]
        path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
        begun = time.monotonic()
        # A folder of its own: a run keeps its journal where it is started.
        ran = subprocess.run(
            command, cwd=folder, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False
        )
        seconds = time.monotonic() - begun
        if not out.exists():
            return {"right": False, "exit": ran.returncode, "stderr": ran.stderr[-2000:]}
        triage = json.loads(out.read_text(encoding="utf-8"))
    findings = {finding["test"].rsplit("::", 1)[1]: finding for finding in triage["findings"]}
    judged = [_judged(specimen, findings.get(specimen.name)) for specimen in wanted]
    return {
        "right": all(one["right"] for one in judged),
        "seconds": round(seconds, 2),
        "command": " ".join(command[1:]).replace(str(ROOT) + "/", ""),
        "judged": judged,
        "notes": [problem["detail"] for problem in triage["summary"]["problems"]],
    }


def _judged(specimen: Specimen, finding: Result | None) -> Result:
    if finding is None:
        return {"test": specimen.name, "truth": specimen.truth, "verdict": None, "right": False}
    witness = finding["witness"] or {}
    seen = [stream["name"] for stream in witness.get("streams", [])]
    right = finding["verdict"] == specimen.truth
    if specimen.leaker:
        grade = "confirmed" if specimen.leaker == "test" else "suspected"
        right = right and witness.get("leaker") == specimen.leaker and specimen.stream in seen
        right = right and finding["grade"] == grade
    return {
        "test": specimen.name,
        "truth": specimen.truth,
        "right": right,
        "trials": sum(arm["runs"] for arm in finding["arms"]),
        "gpu_seconds": round(sum(arm["seconds"] for arm in finding["arms"]), 2),
        **{name: finding[name] for name in ("verdict", "grade", "why", "p_value", "arms", "witness")},
    }


def _environment() -> Result:
    ask = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    driver = subprocess.run(ask, capture_output=True, text=True, check=False).stdout.split()
    return {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "device": torch.cuda.get_device_name(),
        "driver": driver[0] if driver else "",
        "torch": str(torch.__version__),
        "python": platform.python_version(),
        "command": " ".join(sys.argv),
    }


def summary(done: dict[str, Result]) -> Iterator[str]:
    judged = [one for key, result in done.items() if "judged" in result for one in result["judged"]]
    for one in judged:
        mark = "ok " if one["right"] else "BAD"
        cost = f"{one.get('trials')} trials {one.get('gpu_seconds')} s"
        yield f"{mark} {one['test'][:52]:53}{one['truth']:27}{one['verdict']} {one.get('grade')} {cost}"
    for key, result in done.items():
        if key.startswith("origin"):
            spent, arms = result.get("seconds", 0.0), result["judged"][0].get("arms", [])
            fix = sum(arm["seconds"] for arm in arms if "patched" in arm["arm"])
            yield f"{key}: {spent - fix:.1f} s from command to verdict, {spent} s with the trials of the fix"
        elif "judged" not in result and not key.startswith(("suite", "busy")):
            yield f"{key}: {json.dumps(result)[:300]}"
    for part in ("suite", "busy"):
        runs = [result for key, result in done.items() if key.startswith(part)]
        yield from (f"{part}: {run['seconds']} s, {'; '.join(run['told'])}" for run in runs if "told" in run)
        yield f"{part}: {sum(run['exit'] == 0 for run in runs)} of {len(runs)} runs green"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="folder for h200_core.json")
    parser.add_argument("--resume", type=Path, help="an h200_core.json to go on from")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no step that would end later")
    parser.add_argument(
        "--only", default="", help="parts, by comma: doctor, origin, rounds, spawned, cost, healthy, suite, busy"
    )
    options = parser.parse_args()
    if not torch.cuda.is_available():
        parser.error("there is no CUDA device that torch can use")
    begun = time.monotonic()
    record: Result = {"environment": {}, "steps": {}}
    if options.resume and options.resume.exists():
        record = json.loads(options.resume.read_text(encoding="utf-8"))
    parts = set(filter(None, options.only.split(",")))
    options.out.mkdir(parents=True, exist_ok=True)
    record["environment"] = record["environment"] or _environment()
    writing = Lock()

    def take(step: Step) -> None:
        if time.monotonic() - begun + step.seconds > options.seconds:
            return
        result = step.run()
        with writing:
            record["steps"][step.key] = result
            print(step.key, json.dumps(result)[:160], flush=True)
            (options.out / "h200_core.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")

    wanted = [step for step in steps() if step.key not in record["steps"] and (not parts or step.part in parts)]
    for part, together in groupby(wanted, key=lambda step: step.part):
        with ThreadPoolExecutor(LANES.get(part, 1)) as pool:
            list(pool.map(take, together))
    print("\n".join(summary(record["steps"])))


if __name__ == "__main__":
    main()
