"""A change that brings a race test with a leak, and the change that mends it.

The emulated device draws its schedule from a seed, and the leak bites in few schedules; so a kernel length is looked
for with which the plain run of the suite is red.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

TEXT = Path(__file__).with_name("new_store.py.txt").read_text(encoding="utf-8")
PLACE = "kvrace_tests/cases/test_new_store.py"
NAME = "test_store_orders_after_compute_write"
LENGTH = "COMPUTE_MS = 25.0\n"
TRIED = [5 + step / 2 for step in range(160)]
PROBE = f"""

@pytest.mark.parametrize("length", {TRIED})
def test_with_length(device: Streams, length: float) -> None:
    global COMPUTE_MS
    COMPUTE_MS = length
    {NAME}(device)
"""


def leaky(milliseconds: float) -> str:
    """A race test whose control phase returns with work in flight, with kernels of that length."""
    return TEXT.replace(LENGTH, f"COMPUTE_MS = {milliseconds}\n")


def mended(milliseconds: float) -> str:
    """The same with the fix: the stream is drained before the phase returns."""
    return leaky(milliseconds).replace("    return corrupt\n", "    compute_stream.synchronize()\n    return corrupt\n")


def red_length(checkout: Path) -> float:
    """A kernel length with which the leaky test fails in the suite's own plain run. ``checkout`` is left as it was."""
    probe = checkout / PLACE
    probe.write_text(TEXT + PROBE, encoding="utf-8")
    options = ["-q", "--maxfail=1", "--tb=no", "-p", "no:cacheprovider", "-k", "test_with_length"]
    command = [sys.executable, "-m", "pytest", PLACE, *options]
    done = subprocess.run(command, cwd=checkout, capture_output=True, text=True, timeout=120, check=False)
    probe.unlink()
    failed = re.search(r"FAILED .*test_with_length\[([\d.]+)\]", done.stdout)
    assert failed, (
        f"the leak bites with none of {len(TRIED)} kernel lengths:\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
    )
    return float(failed[1])
