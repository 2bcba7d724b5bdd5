"""The race suite on a CUDA device, alone and beside noisy neighbours: green or not, how fast, its window, its power."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.h200_trials import PYTEST, ROOT

NEIGHBOURS = 2
"""Processes that keep the device and a core each busy."""
SETTLING_SECONDS = 6.0
"""A neighbour imports torch before it makes noise."""

Result = dict[str, Any]


def suite() -> Result:
    """One run of the race suite in a fresh process."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "junit.xml"
        begun = time.monotonic()
        ran = subprocess.run(
            [*PYTEST, "kvrace_tests", "--kvrace-runtime", "cuda", f"--junit-xml={report}"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        seconds = round(time.monotonic() - begun, 2)
        header = ET.parse(report).getroot().find("testsuite")
        assert header is not None
        counts = {name: int(header.get(name, 0)) for name in ("tests", "failures", "errors", "skipped")}
        lines = ran.stdout.splitlines()
    return {
        "exit": ran.returncode,
        "seconds": seconds,
        **counts,
        "told": [line for line in lines if line.startswith("kvrace on")],
        "bad": [line for line in lines if line.startswith(("FAILED", "ERROR"))],
        "why_skipped": [line for line in lines if line.startswith("SKIPPED")],
    }


def beside_neighbours() -> Result:
    """The same while other processes use the device and the processor as much as they can."""
    with _neighbours():
        return suite()


@contextmanager
def _neighbours() -> Iterator[None]:
    noise = [subprocess.Popen([sys.executable, __file__, str(os.getpid())]) for _ in range(NEIGHBOURS)]
    try:
        time.sleep(SETTLING_SECONDS)
        yield
    finally:
        for one in noise:
            one.kill()
            one.wait()


def _noise(parent: int) -> None:
    import threading  # noqa: PLC0415 - only a neighbour needs these two

    import torch  # noqa: PLC0415 - as above

    def spin() -> None:
        while os.getppid() == parent:
            sum(range(10_000))

    threading.Thread(target=spin, daemon=True).start()
    matrix = torch.randn(6000, 6000, device="cuda")
    while os.getppid() == parent:
        matrix = (matrix @ matrix).clamp_(-1, 1)
        torch.cuda.synchronize()


if __name__ == "__main__":
    _noise(int(sys.argv[1]))
