"""A change that brings a race test with a leak, and the change that mends it, made from the bundled specimen.

The emulated device draws its schedule from a seed, and the leak bites in few schedules; so a kernel length is looked
for with which the plain run of the suite is red.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

SPECIMEN = Path(__file__).parents[3] / "kvrace_tests" / "specimens" / "emulated" / "test_leaky_store.py"
PLACE = "kvrace_tests/cases/test_new_store.py"
NAME = "test_store_orders_after_compute_write"
LENGTH = re.compile(r"^COMPUTE_MS = [\d.]+$", re.MULTILINE)
DRAIN = "    if drained:\n        compute_stream.synchronize()\n"
TRIED = [5 + step / 2 for step in range(160)]


def leaky(milliseconds: float) -> str:
    """The specimen's leaky test alone, with kernels of that length."""
    text, count = LENGTH.subn(f"COMPUTE_MS = {milliseconds}", SPECIMEN.read_text(encoding="utf-8"))
    assert count == 1, "the specimen names the length of its kernels otherwise"
    text = text[: text.index('\n\n@pytest.mark.stream\n@pytest.mark.truth("healthy")')] + "\n"
    return text.replace(DRAIN, "").replace(", drained: bool = False", "")


def mended(milliseconds: float) -> str:
    """The same with the fix: the stream is drained before the phase returns."""
    return leaky(milliseconds).replace("    return corrupt\n", "    compute_stream.synchronize()\n    return corrupt\n")


def red_length(checkout: Path) -> float:
    """A kernel length with which the leaky test fails in the suite's own plain run. ``checkout`` is left as it was."""
    probe = checkout / PLACE
    every = leaky(0.0).replace("COMPUTE_MS = 0.0", "COMPUTE_MS = 0.0\nLENGTHS = " + repr(TRIED))
    every = every.replace(
        f"def {NAME}(device: Streams)",
        f'@pytest.mark.parametrize("length", LENGTHS)\ndef {NAME}(device: Streams, length: float)',
    ).replace("    cache = Cache(device)\n", "    globals()['COMPUTE_MS'] = length\n    cache = Cache(device)\n", 1)
    probe.write_text(every, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", PLACE, "-q", "--maxfail=1", "--tb=no", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=checkout, capture_output=True, text=True, timeout=120, check=False)
    probe.unlink()
    failed = re.search(rf"FAILED .*{NAME}\[([\d.]+)\]", done.stdout)
    assert failed, (
        f"the leak bites with none of {len(TRIED)} kernel lengths:\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
    )
    return float(failed[1])
