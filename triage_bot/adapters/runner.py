"""What can be seen of the self-hosted runner that this process runs on: thrown away after each job? guarded?

Reads the environment and three files, changes nothing and runs nothing. It cannot see the settings on the code host
(approval for outside contributors, runner groups), and a guard that calls itself ours is believed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, unique
from pathlib import Path

HOOK = "ACTIONS_RUNNER_HOOK_JOB_STARTED"
_OURS = "triage-bot runner guard"


@unique
class Guard(str, Enum):
    """What stands between a fork's job and this machine."""

    INSTALLED = "installed"
    REWRITABLE = "rewritable"
    """Ours, but this user may change it, and jobs run as this user."""
    NOT_OURS = "not-ours"
    """A job-started hook of someone else, whose rules are not known here."""
    MISSING = "missing"
    """No hook, or one that names a file that does not exist."""


@dataclass(frozen=True)
class Runner:
    """A runner, as far as it can be seen from inside."""

    hosted: bool
    """The code host's own machine: new for each job, nothing to guard."""
    ephemeral: bool
    """Registered for one job only."""
    guard: Guard


def inspect_runner(environ: Mapping[str, str], directory: Path) -> Runner | None:
    """The runner whose job this process is, or in whose ``directory`` it was started; None when there is none."""
    if environ.get("RUNNER_ENVIRONMENT") == "github-hosted":
        return Runner(hosted=True, ephemeral=True, guard=Guard.MISSING)
    home = _home(
        [Path(environ[name]) for name in ("RUNNER_TEMP", "RUNNER_WORKSPACE") if environ.get(name)] or [directory]
    )
    if home is None and environ.get("RUNNER_ENVIRONMENT") != "self-hosted":
        return None
    hook = environ.get(HOOK) or (_assigned(home / ".env", HOOK) if home else "")
    return Runner(hosted=False, ephemeral=home is not None and _ephemeral(home / ".runner"), guard=_guard(hook))


def _home(places: list[Path]) -> Path | None:
    """The folder that holds the runner's registration, at or above one of ``places``."""
    folders = (folder for place in places for folder in (place, *place.parents))
    return next((folder for folder in folders if (folder / ".runner").is_file()), None)


def _ephemeral(registration: Path) -> bool:
    try:
        told = json.loads(registration.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError):
        return False
    return isinstance(told, dict) and any(key.lower() == "ephemeral" and value is True for key, value in told.items())


def _assigned(path: Path, name: str) -> str:
    """The value that the runner's ``.env`` gives to a variable; empty when it gives none."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return ""
    values = [value.strip() for key, _, value in (line.partition("=") for line in lines) if key.strip() == name]
    return values[-1] if values else ""


def _guard(hook: str) -> Guard:
    script = Path(hook)
    if not hook or not script.is_file():
        return Guard.MISSING
    files = [script, script.with_name("guard.py")]
    try:
        ours = _OURS in files[1].read_text(encoding="utf-8") and "guard.py" in script.read_text(encoding="utf-8")
    except (OSError, ValueError):
        ours = False
    if not ours:
        return Guard.NOT_OURS
    # Who may write the folder may replace the files in it.
    changeable = any(os.access(path, os.W_OK) for path in (*files, script.parent))
    return Guard.REWRITABLE if changeable else Guard.INSTALLED
