"""The main job from end to end on the emulated device: a suite turns red, and the bot finds out why.

Run as ``python -m kvrace_tests.demo``. Each step is a command that anyone can type; this module only types them.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

_SUITE = Path(__file__).parent / "specimens" / "emulated" / "test_leaky_store.py"
SUITE = _SUITE.relative_to(Path.cwd()) if _SUITE.is_relative_to(Path.cwd()) else _SUITE
FOLDER = Path(".triage") / "demo"
MOST_SEEDS = 400
"""At its rate of a few per cent the leak has bitten long before that many schedules."""


def main() -> int:
    """Run the suite until it is red, triage its report, and print the comment."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    report, triage = FOLDER / "junit.xml", FOLDER / "triage.json"
    _say("1. A suite with a leaky test runs on the emulated device, schedule after schedule, until it is red.")
    seed = _first_red(report)
    if seed is None:
        print(f"no schedule of {MOST_SEEDS} turned it red")
        return 1
    print(f"   red at seed {seed}; its report: {report}")
    _say("2. The bot reruns what failed, under interventions that prove the cause.")
    where = ["--suite", str(SUITE), "--runtime", "emulated"]
    code = _bot("rerun", "--junit", str(report), *where, "--out", str(triage), "--", f"--kvrace-seed={seed + 1}")
    if code:
        return code
    _say("3. The comment that it would post on the pull request:")
    code = _bot("publish", "--dry-run", str(triage))
    print(f"\nThe whole result lies in {triage}.")
    return code


def _first_red(report: Path) -> int | None:
    """The first schedule that fails; run again alone, as a runner would have run it, it leaves the report."""
    ran = subprocess.run(
        _pytest(0, f"--kvrace-schedules={MOST_SEEDS}", "-x"), capture_output=True, text=True, check=False
    )
    found = re.search(r"^FAILED .*\[seed(\d+)\]", ran.stdout, re.MULTILINE)
    if found is None:
        return None
    seed = int(found[1])
    subprocess.run(_pytest(seed, f"--junit-xml={report}"), capture_output=True, check=False)
    return seed


def _pytest(seed: int, *more: str) -> list[str]:
    options = ["-q", "-p", "no:cacheprovider", "--kvrace-runtime=emulated", f"--kvrace-seed={seed}"]
    return [sys.executable, "-m", "pytest", str(SUITE), *options, *more]


def _bot(*arguments: str) -> int:
    print(f"   $ triage-bot {shlex.join(arguments)}\n", flush=True)
    return subprocess.run([sys.executable, "-m", "triage_bot", *arguments], check=False).returncode


def _say(text: str) -> None:
    print(f"\n{text}\n", flush=True)


if __name__ == "__main__":
    sys.exit(main())
