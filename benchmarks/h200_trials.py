"""What a trial and a rerun cost on a CUDA device, and whether healthy tests stay clean under every amplifier."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SPECIMENS = ROOT / "kvrace_tests" / "specimens" / "torch"
ORIGIN = "test_store_orders_after_compute_write"
PYTEST = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]

HEALTHY_TRIALS = 30
"""Of each amplifier."""
HASTY_TRIALS = 10
"""Stretched, too, and so fewer."""
COST_RUNS = 5
RERUNS_FOR_A_3_PERCENT_FLAKE = 99
"""Reruns that show a 3 % flake at least once with 95 % probability."""

Result = dict[str, Any]


def healthy(node_id: str) -> Result:
    """Forty trials of a test stretched, ten of them hasty, and thirty skewed, one stream after the other."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(_healthy_trials, node_id).result()


def _healthy_trials(node_id: str) -> Result:
    sys.path.insert(0, str(ROOT))
    from triage_bot.core.arms import AS_IS, HASTY, STRETCHED, Arm  # noqa: PLC0415 - spawned workers find the project here
    from triage_bot.core.results import Outcome  # noqa: PLC0415 - as above
    from triage_bot.lab.pytest_lab import PytestLab  # noqa: PLC0415 - as above

    os.chdir(ROOT)
    begun, bad, trials = time.monotonic(), [], 0
    with tempfile.TemporaryDirectory() as folder, PytestLab([node_id.split("::", maxsplit=1)[0]], Path(folder)) as lab:
        streams = [stream.name for stream in lab.run(node_id, AS_IS, 0).streams]
        arms = [STRETCHED] * HEALTHY_TRIALS + [HASTY] * HASTY_TRIALS
        arms += [Arm(skewed=streams[i % len(streams)]) for i in range(HEALTHY_TRIALS)]
        for ordinal, arm in enumerate(arms):
            observation = lab.run(node_id, arm, ordinal)
            trials += 1
            if observation.outcome is not Outcome.PASSED:
                message = observation.failure.message[:200] if observation.failure else ""
                bad.append({"test": node_id, "arm": str(arm), "outcome": observation.outcome.value, "message": message})
        remarks = list(lab.remarks())
    seconds = round(time.monotonic() - begun, 1)
    return {"test": node_id, "seconds": seconds, "trials": trials, "bad": bad, "streams": streams, "remarks": remarks}


_TIMED_TEST = """
import time
import torch

def test_body(record_property):
    begun = time.perf_counter()
    torch.zeros(1, device="cuda").add_(1).item()
    record_property("body_seconds", time.perf_counter() - begun)
"""


def trial_cost() -> Result:
    """Wall seconds of a trial minus its test's own body: forked from the warm process, and by a fresh pytest."""
    sys.path.insert(0, str(ROOT))
    from triage_bot.core.arms import AS_IS  # noqa: PLC0415 - only this step needs the lab
    from triage_bot.lab.pytest_lab import PytestLab  # noqa: PLC0415 - as above

    with tempfile.TemporaryDirectory() as folder:
        test = Path(folder) / "test_timed.py"
        test.write_text(_TIMED_TEST, encoding="utf-8")
        os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
        os.chdir(folder)
        begun = time.monotonic()
        warm = []
        with PytestLab(["test_timed.py"], Path(folder) / "lab") as lab:
            start = time.monotonic() - begun
            for ordinal in range(COST_RUNS):
                observation = lab.run("test_timed.py::test_body", AS_IS, ordinal)
                warm.append(observation.seconds - float(dict(observation.properties)["body_seconds"]))
            remarks = list(lab.remarks())
        fresh = [_fresh_overhead(Path(folder), str(test)) for _ in range(COST_RUNS)]
        os.chdir(ROOT)
    return {
        "warm_start_seconds": round(start, 3),
        "warm_seconds": [round(value, 3) for value in warm],
        "fresh_seconds": [round(value, 3) for value in fresh],
        "ratio_of_medians": round(sorted(fresh)[COST_RUNS // 2] / sorted(warm)[COST_RUNS // 2], 1),
        "remarks": remarks,
    }


def _fresh_overhead(folder: Path, test: str) -> float:
    report = folder / "timed.xml"
    begun = time.monotonic()
    subprocess.run([*PYTEST, test, f"--junit-xml={report}"], cwd=folder, capture_output=True, check=True)
    seconds = time.monotonic() - begun
    values = {one.get("name"): one.get("value") for one in ET.parse(report).getroot().iter("property")}
    return seconds - float(values["body_seconds"] or 0)


_FAILING_ORIGIN = """
from kvrace_tests.specimens.torch.test_leaky_store import test_store_orders_after_compute_write as origin

def test_origin_that_fails_at_its_end():
    try:
        origin()
    finally:
        raise AssertionError("rerun me")
"""


def rerun_cost(way: str) -> Result:
    """Seconds that 99 reruns of the origin specimen cost that way: the first run, and what each further one adds."""
    with tempfile.TemporaryDirectory() as folder:
        test = Path(folder) / "test_origin.py"
        test.write_text(_FAILING_ORIGIN, encoding="utf-8")
        origin = str(SPECIMENS / "test_leaky_store.py")
        if way == "plain":
            each = [_timed([f"{origin}::{ORIGIN}"]) for _ in range(COST_RUNS)]
            first = further = sum(each) / COST_RUNS
        else:
            arguments = {
                "rerunfailures": lambda runs: [str(test), f"--reruns={runs - 1}"],
                "flakefinder": lambda runs: [origin, "-k", ORIGIN, "--flake-finder", f"--flake-runs={runs}"],
            }[way]
            first = _timed(arguments(1))
            further = (_timed(arguments(1 + COST_RUNS)) - first) / COST_RUNS
    total = first + (RERUNS_FOR_A_3_PERCENT_FLAKE - 1) * further
    return {"first_seconds": round(first, 2), "further_seconds": round(further, 2), "seconds_99": round(total, 1)}


def _timed(arguments: Sequence[str]) -> float:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    begun = time.monotonic()
    ran = subprocess.run([*PYTEST, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    # 1 is a failing test, which these may be; anything above ran no test.
    assert ran.returncode <= 1, ran.stdout + ran.stderr
    return time.monotonic() - begun
