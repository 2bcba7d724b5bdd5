"""The job-started hook of the GPU runner, asked before any job that wants that runner."""

from __future__ import annotations

import contextlib
import io
import json
import runpy
import tempfile
from pathlib import Path
from typing import Any

GUARD = Path(__file__).parents[3] / "runner" / "guard.py"


def refused_by_guard(workflow: dict[str, Any], jobs: list[str], event_name: str, event: dict[str, Any]) -> str | None:
    """What the guard says when it ends a job; None where no job asks for our runner, or all may run."""
    if not any("self-hosted" in workflow["jobs"][job]["runs-on"] for job in jobs):
        return None
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(event, file)
        file.flush()
        environ = {
            "GITHUB_EVENT_NAME": event_name,
            "GITHUB_EVENT_PATH": file.name,
            "GITHUB_REPOSITORY": event["repository"]["full_name"],
        }
        with contextlib.redirect_stdout(io.StringIO()) as said:
            code = runpy.run_path(str(GUARD))["main"](environ)
    return said.getvalue().strip() if code else None
