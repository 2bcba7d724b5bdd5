"""What ``doctor`` can tell about the machine that jobs run on."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from triage_bot.adapters import runner as seam
from triage_bot.adapters.runner import HOOK, Guard, Runner, inspect_runner

SHIPPED = Path(__file__).parents[2] / "runner"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "actions-runner"
    (home / "_work" / "_temp").mkdir(parents=True)
    (home / ".runner").write_text("\ufeff" + json.dumps({"agentName": "gpu-1", "ephemeral": True}), encoding="utf-8")
    return home


def job(home: Path, **more: str) -> dict[str, str]:
    return {"RUNNER_ENVIRONMENT": "self-hosted", "RUNNER_TEMP": str(home / "_work" / "_temp"), **more}


def install(tmp_path: Path) -> Path:
    folder = tmp_path / "guard"
    shutil.copytree(SHIPPED, folder)
    return folder / "guard.sh"


def test_away_from_any_runner_there_is_nothing_to_tell(tmp_path: Path) -> None:
    assert inspect_runner({}, tmp_path) is None


def test_a_hosted_machine_is_new_for_each_job(tmp_path: Path) -> None:
    told = inspect_runner({"RUNNER_ENVIRONMENT": "github-hosted"}, tmp_path)
    assert told == Runner(hosted=True, ephemeral=True, guard=Guard.MISSING)


def test_a_runner_without_a_hook_is_unguarded(home: Path) -> None:
    assert inspect_runner(job(home), home) == Runner(hosted=False, ephemeral=True, guard=Guard.MISSING)


@pytest.mark.parametrize("registration", ['{"agentName": "gpu-1"}', '{"ephemeral": false}', "{", "[]"])
def test_a_runner_is_ephemeral_only_when_its_registration_says_so(home: Path, registration: str) -> None:
    (home / ".runner").write_text(registration, encoding="utf-8")
    told = inspect_runner(job(home), home)
    assert told is not None
    assert not told.ephemeral


def test_a_guard_that_jobs_could_rewrite_is_told_apart(home: Path, tmp_path: Path) -> None:
    told = inspect_runner(job(home, **{HOOK: str(install(tmp_path))}), home)
    assert told is not None
    assert told.guard is Guard.REWRITABLE


def test_a_guard_out_of_reach_of_jobs_counts(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The suite may run as root, to whom everything is writable.
    monkeypatch.setattr(seam.os, "access", lambda path, mode: False)
    told = inspect_runner(job(home, **{HOOK: str(install(tmp_path))}), home)
    assert told is not None
    assert told.guard is Guard.INSTALLED


def test_the_hook_is_found_in_the_runners_own_settings_outside_a_job(home: Path, tmp_path: Path) -> None:
    (home / ".env").write_text(f"LANG=C.UTF-8\n{HOOK}={install(tmp_path)}\n", encoding="utf-8")
    told = inspect_runner({}, home)
    assert told is not None
    assert told.guard is Guard.REWRITABLE


def test_another_hook_is_not_taken_for_ours(home: Path, tmp_path: Path) -> None:
    hook = tmp_path / "clean.sh"
    hook.write_text("rm -rf /tmp/*\n", encoding="utf-8")
    told = inspect_runner(job(home, **{HOOK: str(hook)}), home)
    assert told is not None
    assert told.guard is Guard.NOT_OURS


def test_a_hook_that_names_no_file_guards_nothing(home: Path) -> None:
    told = inspect_runner(job(home, **{HOOK: "/opt/gone/guard.sh"}), home)
    assert told is not None
    assert told.guard is Guard.MISSING
