"""The shipped workflows, the action and the hook pass the linters that their authors offer."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOLS = Path(sys.executable).parent
WORKFLOWS = sorted(str(path) for path in (ROOT / ".github" / "workflows").glob("*.yml"))
CHECKS = {
    "actionlint": ["actionlint", *WORKFLOWS],
    "zizmor": ["zizmor", "--offline", "--no-progress", "--quiet", "--pedantic", ".github", "action.yml"],
    "workflow schema": ["check-jsonschema", "--builtin-schema", "vendor.github-workflows", *WORKFLOWS],
    "action schema": ["check-jsonschema", "--builtin-schema", "vendor.github-actions", "action.yml"],
    "dependabot schema": ["check-jsonschema", "--builtin-schema", "vendor.dependabot", ".github/dependabot.yml"],
    "shellcheck": ["shellcheck", "action/run.sh", "runner/guard.sh", ".ci/run"],
}


@pytest.mark.parametrize("command", CHECKS.values(), ids=CHECKS)
def test_it_is_clean(command: list[str]) -> None:
    # actionlint calls shellcheck by name.
    environ = {**os.environ, "PATH": f"{TOOLS}{os.pathsep}{os.environ['PATH']}"}
    command = [str(TOOLS / command[0]), *command[1:]]
    done = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
