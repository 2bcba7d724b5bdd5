"""Findings to build tests on, as a triage would leave them."""

from __future__ import annotations

from dataclasses import replace

from triage_bot.core.arms import Arm
from triage_bot.core.findings import (
    ArmTally,
    Counts,
    Environment,
    Finding,
    Grade,
    Leaker,
    Remedy,
    Source,
    Triage,
    VerdictName,
    Witness,
)
from triage_bot.core.results import Failure
from triage_bot.core.trials import Boundary, Residue, Site, StreamUse

SHA = "1f" * 20
TEST = "tests/test_worker.py::test_store_orders_after_compute_write"
DIFF = """\
--- a/tests/test_worker.py
+++ b/tests/test_worker.py
@@ -36,3 +36,4 @@
         compute_stream.record_event()
     copies.wait()
+    compute_stream.synchronize()
     return corrupt
"""


def tally(arm: str, runs: int, failed: int, otherwise: int = 0) -> ArmTally:
    return ArmTally(Arm.parse(arm), runs, failed, otherwise, 1.5 * runs)


LEAK = Finding(
    test=TEST,
    verdict=VerdictName.CROSS_PHASE_CONTAMINATION,
    grade=Grade.CONFIRMED,
    why="`_drive_store` returned while `compute_stream` still had 734 ms of work, and that work ran in the next phase.",
    failure=Failure(
        "AssertionError", "store raced compute even with the barrier: 1 corrupt", "tests/test_worker.py", 52
    ),
    signature="AssertionError|tests/test_worker.py:52|store raced compute even with the barrier: # corrupt",
    family="guard",
    arms=(tally("as-is", 5, 0), tally("stretched", 5, 5), tally("stretched+drained", 5, 0)),
    p_value=0.00396825,
    rate=(0.0, 0.52182),
    witness=Witness(
        Leaker.TEST,
        Boundary(
            "control = _drive_store(worker, with_barrier=False)",
            Site("tests/test_worker.py", 49),
            (
                Residue(
                    StreamUse("compute_stream", Site("tests/test_worker.py", 23, "_drive_store"), True),
                    0.734,
                ),
            ),
        ),
    ),
    remedy=Remedy("tests/test_worker.py", DIFF, ArmTally(Arm(stretched=True, patched=True), 5, 0, 0, 0.0)),
)

ORDERING = Finding(
    test="tests/test_swap.py::test_load_reads_after_copy",
    verdict=VerdictName.ORDERING_BUG,
    grade=Grade.CONFIRMED,
    why="A wait is missing inside one phase: it fails drained too, and passes when nothing runs at once.",
    failure=Failure("AssertionError", "block 3 holds 7, expected 9", "tests/test_swap.py", 31),
    signature="AssertionError|tests/test_swap.py:31|block # holds #, expected #",
    family="",
    arms=(tally("as-is", 5, 0), tally("skewed:copy_stream", 5, 5), tally("skewed:copy_stream+serialized", 5, 0, 1)),
    p_value=0.00396825,
    rate=(0.0, 0.52182),
)

SOURCE = Source("octo/kernels", SHA, 71, 1, "race", "pull_request")
H200 = Environment("cuda", "NVIDIA H200", "580.159", "2.11.0+cu130", "3.12.4")


def triage(*findings: Finding, **counts: int) -> Triage:
    """A complete run of 41 tests in which the findings' tests failed."""
    failed = counts.pop("failed", len([finding for finding in findings if not finding.latent]))
    summary = Counts(tests=41, passed=41 - failed - counts.get("flaky", 0), failed=failed)
    return Triage(SOURCE, H200, replace(summary, **counts), True, (), findings)
