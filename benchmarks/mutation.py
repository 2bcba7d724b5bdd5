"""Takes each ordering edge out of the offload backend's source, one at a time, and runs the suite on the result.

A suite that is worth its time turns exactly the mutated edge's case red. Usage: python -m benchmarks.mutation
"""

from __future__ import annotations

import argparse
import ast
import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

from kvrace_tests.cases.table import CASES
from kvrace_tests.offload.ordering import Edge

ROOT = Path(__file__).parent.parent
BACKEND = Path("kvrace_tests/offload/backend.py")
NOT_IN_BACKEND = {Edge.COUNT_AFTER_OTHER_BLOCKS: "inside a kernel"}
"""Edges that no wait of the backend keeps."""


class _Drop(ast.NodeTransformer):
    """Makes every test of an edge say that it is not kept."""

    def __init__(self, edge: Edge) -> None:
        self._edge = edge
        self.dropped = 0

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        left = node.left
        if isinstance(left, ast.Attribute) and left.attr == self._edge.name:
            self.dropped += 1
            return ast.copy_location(ast.Constant(value=False), node)
        return node


def mutated(source: str, edge: Edge) -> str:
    """The backend without that edge; ``ValueError`` when it is not kept in exactly one place."""
    drop = _Drop(edge)
    tree = drop.visit(ast.parse(source))
    if drop.dropped != 1:
        raise ValueError(f"{edge.label} is kept in {drop.dropped} places of {BACKEND}, not in one")
    return ast.unparse(tree)


def red_cases(tree: Path) -> set[str]:
    """Modules of the cases that fail in a copy of the suite."""
    report = tree / "report.xml"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:triage-bot", "-p", "no:cacheprovider"]
    command += [str(tree / "kvrace_tests"), "--kvrace-runtime", "emulated", f"--junit-xml={report}"]
    subprocess.run(
        command, cwd=tree, check=False, stdout=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": str(tree)}
    )
    return {
        str(case.get("classname")).split(".")[-1]
        for case in ET.parse(report).iter("testcase")
        if case.find("failure") is not None or case.find("error") is not None
    }


def main() -> int:
    argparse.ArgumentParser(description=__doc__).parse_args()
    source = (ROOT / BACKEND).read_text(encoding="utf-8")
    wrong = 0
    print(f"{'edge taken out':26}  {'its case':21}  {'cases that turned red':40}  as it must")
    for edge, case in CASES.items():
        if edge in NOT_IN_BACKEND:
            print(f"{edge.label:26}  {case:21}  {NOT_IN_BACKEND[edge]:40}  -")
            continue
        with tempfile.TemporaryDirectory() as folder:
            tree = Path(folder)
            shutil.copytree(
                ROOT / "kvrace_tests", tree / "kvrace_tests", ignore=shutil.ignore_patterns("__pycache__", "specimens")
            )
            shutil.copy(ROOT / "pyproject.toml", tree)
            (tree / BACKEND).write_text(mutated(source, edge), encoding="utf-8")
            red = red_cases(tree)
        as_it_must = red == {case}
        wrong += not as_it_must
        print(
            f"{edge.label:26}  {case:21}  {', '.join(sorted(red)) or 'none':40}  {'yes' if as_it_must else 'NO'}",
            flush=True,
        )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
