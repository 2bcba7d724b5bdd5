"""The suite as a project runs it: its own pytest process."""

from __future__ import annotations

import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

ROOT = Path(__file__).parents[2]


def _pytest(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    # A machine that has a device plays one that has none.
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=120)


def test_it_is_green_without_the_bot_and_writes_its_numbers_to_junit(tmp_path: Path) -> None:
    report = tmp_path / "junit.xml"
    done = _pytest(
        "kvrace_tests",
        "-p",
        "no:triage-bot",
        "--kvrace-runtime",
        "emulated",
        "--kvrace-seed",
        "7",
        f"--junit-xml={report}",
    )
    assert done.returncode == 0, done.stdout
    assert "12 passed, 1 skipped" in done.stdout
    assert "12 of 12 controls raced" in done.stdout
    cases = {case.get("name"): case for case in ET.parse(report).iter("testcase")}
    found = {
        str(one.get("name")): str(one.get("value"))
        for one in cases["test_store_orders_after_compute_write"].iter("property")
    }
    assert found["kvrace.runtime"] == "emulated"
    assert found["kvrace.seed"] == "7"
    assert found["kvrace.window_ms"] == "20"
    assert found["kvrace.window"].startswith("window 20 ms (the slowest of 32 unordered copies took ")
    assert float(found["kvrace.control_seconds"]) > 6 * 0.02
    assert found["kvrace.fixed"] == "0/24"
    assert found["kvrace.control"] != "0/24"
    assert found["kvrace.race"].startswith(
        "without store-after-compute-write: read after write: nothing orders 'fill 1' on "
    )


def test_a_failure_under_many_schedules_prints_the_line_that_replays_it() -> None:
    specimen = "kvrace_tests/specimens/emulated/test_staging_reuse.py"
    done = _pytest(specimen, "--kvrace-runtime", "emulated", "--kvrace-schedules", "2", "--kvrace-seed", "5")
    assert done.returncode == 1, done.stdout
    line = f"pytest {specimen}::test_staged_blocks_arrive --kvrace-runtime emulated --kvrace-seed 6"
    assert line in done.stdout
    assert "test_staged_blocks_arrive_in_turn" not in done.stdout.split("short test summary")[1]


def test_dice_that_the_seed_does_not_control_are_an_error() -> None:
    specimen = "kvrace_tests/specimens/emulated/test_chance.py::test_dice_do_not_matter"
    done = _pytest(specimen, "--kvrace-runtime", "emulated", "--kvrace-schedules", "12")
    assert "NondeterminismError: seed" in done.stdout


def test_the_table_is_printed_instead_of_running() -> None:
    done = _pytest("kvrace_tests", "--kvrace-list")
    assert done.returncode == 0
    assert done.stdout.startswith("edge ")
    assert "passed" not in done.stdout


def test_the_window_is_printed_instead_of_running() -> None:
    done = _pytest("kvrace_tests", "--kvrace-window")
    assert done.returncode == 0
    (line,) = done.stdout.splitlines()
    assert line.startswith("emulated: window 20 ms (")


def test_specimens_are_collected_only_where_an_argument_points() -> None:
    listed = _pytest("kvrace_tests", "kvrace_tests/specimens/emulated/test_deadline.py", "--collect-only").stdout
    assert "test_steps_end_in_time" in listed
    assert "test_store_orders_after_compute_write" in listed
    assert "test_leaky_store" not in listed


def test_a_cuda_device_that_is_not_there_is_one_clear_error() -> None:
    done = _pytest("kvrace_tests", "--kvrace-runtime", "cuda")
    assert done.returncode == 4
    (line,) = done.stderr.strip().splitlines()
    assert "or choose --kvrace-runtime emulated" in line


def test_less_than_one_schedule_is_refused() -> None:
    done = _pytest("kvrace_tests", "--kvrace-schedules", "0")
    assert done.returncode == 4
    assert "--kvrace-schedules needs at least 1 schedule" in done.stderr
