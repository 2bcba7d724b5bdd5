"""Feed the report reader anything, for as long as asked, and stop at the first input that it neither reads nor refuses.

Usage: python -m benchmarks.fuzz_reading [--minutes 10] [--seed 0] [--out benchmarks/results/fuzz_reading.json]
A failing input is shrunk and printed. Ends with 1 when one was found, or when memory grew past its bound.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from tests import report_shapes

BATCH = 200
"""Examples between two looks at the clock."""
MOST_MEMORY_MIB = 400
THOROUGH = settings(max_examples=BATCH, deadline=None, database=None, suppress_health_check=list(HealthCheck))
SHAPES: dict[str, Callable[[], None]] = {
    "any bytes": THOROUGH(given(report_shapes.any_bytes())(report_shapes.read_any_bytes)),
    "nested elements": THOROUGH(given(report_shapes.elements())(report_shapes.read_whole)),
    "cut documents": THOROUGH(given(report_shapes.elements(), st.floats(0, 1))(report_shapes.read_cut)),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    begun, batches = time.monotonic(), 0
    while time.monotonic() - begun < asked.minutes * 60:
        for shape in SHAPES.values():
            seed(asked.seed + batches)(shape)()
        batches += 1
    told = {
        "seconds": round(time.monotonic() - begun),
        "examples": batches * BATCH * len(SHAPES),
        "shapes": list(SHAPES),
        "first_seed": asked.seed,
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "python": platform.python_version(),
    }
    print(json.dumps(told, indent=2))
    if asked.out:
        asked.out.write_text(json.dumps(told, indent=2) + "\n")
    return int(told["peak_mib"] > MOST_MEMORY_MIB)


if __name__ == "__main__":
    sys.exit(main())
