"""The guard as a runner calls it: an event on disk, its name in the environment, an exit code that ends the job."""

from __future__ import annotations

import contextlib
import io
import json
import os
import runpy
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

GUARD = Path(__file__).parents[2] / "runner"
OURS = "acme/kernels"


def event(tmp_path: Path, payload: Any) -> Path:
    path = tmp_path / "event.json"
    path.write_text(payload if isinstance(payload, str) else json.dumps(payload), encoding="utf-8")
    return path


def environ(path: Path, name: str, repository: str = OURS) -> dict[str, str]:
    return {"GITHUB_EVENT_NAME": name, "GITHUB_EVENT_PATH": str(path), "GITHUB_REPOSITORY": repository}


def guard(path: Path, name: str, repository: str = OURS) -> tuple[int, str]:
    """Exit code and output of the deciding half, without a process."""
    decide = runpy.run_path(str(GUARD / "guard.py"))["main"]
    with contextlib.redirect_stdout(io.StringIO()) as out:
        return decide(environ(path, name, repository)), out.getvalue()


def pull(head: Any) -> dict[str, Any]:
    return {"pull_request": {"head": {"repo": head}, "base": {"repo": {"full_name": OURS}}}}


@pytest.mark.parametrize(
    ("name", "payload"),
    [
        ("push", {"ref": "refs/heads/main"}),
        ("schedule", {}),
        ("workflow_dispatch", {"inputs": {"pull-request": "7"}}),
        ("merge_group", {"action": "checks_requested"}),
        ("pull_request", pull({"full_name": OURS})),
        ("pull_request_review", pull({"full_name": OURS})),
        ("workflow_run", {"workflow_run": {"head_repository": {"full_name": OURS}}}),
    ],
)
def test_work_of_this_repository_may_run(tmp_path: Path, name: str, payload: dict[str, Any]) -> None:
    code, out = guard(event(tmp_path, payload), name)
    assert code == 0
    assert f"{name} of {OURS} may run here" in out


@pytest.mark.parametrize(
    ("name", "payload", "reason"),
    [
        ("pull_request", pull({"full_name": "mallory/kernels"}), "the code comes from mallory/kernels"),
        ("pull_request_target", pull({"full_name": "mallory/kernels"}), "the code comes from mallory/kernels"),
        ("pull_request", pull({"full_name": "Acme/kernels"}), "the code comes from Acme/kernels"),
        ("pull_request", pull(None), "missing in the event"),
        ("pull_request", pull({"full_name": ["acme/kernels"]}), "missing in the event"),
        ("pull_request", {"pull_request": None}, "missing in the event"),
        ("pull_request", {}, "missing in the event"),
        ("push", pull({"full_name": "mallory/kernels"}), "the code comes from mallory/kernels"),
        ("workflow_run", {"workflow_run": {"head_repository": None}}, "missing in the event"),
        ("workflow_run", {"workflow_run": {"head_repository": {"full_name": "m/k"}}}, "the code comes from m/k"),
        ("issue_comment", {"comment": {"body": "/run"}}, "without write permission"),
        ("issues", {}, "without write permission"),
        ("", {}, "without write permission"),
        ("push", "[]", "not an object"),
        ("push", "{", "cannot be read"),
        ("push", "[" * 200_000, "cannot be read"),
    ],
)
def test_everything_else_is_refused_with_its_reason(tmp_path: Path, name: str, payload: Any, reason: str) -> None:
    code, out = guard(event(tmp_path, payload), name)
    assert code == 1
    assert reason in out


def test_a_missing_event_is_refused(tmp_path: Path) -> None:
    assert guard(tmp_path / "none.json", "push")[0] == 1


def test_a_runner_that_does_not_name_its_repository_is_closed(tmp_path: Path) -> None:
    assert guard(event(tmp_path, {}), "push", repository="")[0] == 1


def test_a_hostile_name_puts_no_workflow_command_into_the_log(tmp_path: Path) -> None:
    code, out = guard(event(tmp_path, pull({"full_name": "m/k\n::add-mask::o\r\n::error::x"})), "pull_request")
    assert code == 1
    assert len(out.splitlines()) == 1
    assert "::" not in out


def worker(tmp_path: Path, hook: Path, name: str) -> subprocess.Popen[bytes]:
    """A stand-in for the runner's worker: calls the hook, then goes on to the steps that run ``always()``."""
    program = tmp_path / "Runner.Worker"
    shell = shutil.which("bash")
    program.write_text(f'#!{shell}\nbash -e {hook}\ntouch "{tmp_path}/always-step-ran"\n', encoding="utf-8")
    program.chmod(0o755)
    fork = event(tmp_path, pull({"full_name": "mallory/kernels"}))
    return subprocess.Popen(
        [program], env={**environ(fork, name), "PATH": os.environ["PATH"], "TRIAGE_GUARD_GRACE": "0"}
    )


def test_a_job_of_this_repository_goes_on(tmp_path: Path) -> None:
    own = event(tmp_path, pull({"full_name": OURS}))
    command = ["bash", "-e", str(GUARD / "guard.sh")]
    env = {**environ(own, "pull_request"), "PATH": os.environ["PATH"]}
    assert subprocess.run(command, env=env, check=False, timeout=30, capture_output=True).returncode == 0


def test_a_refused_job_ends_with_its_worker_before_a_step_that_always_runs(tmp_path: Path) -> None:
    assert worker(tmp_path, GUARD / "guard.sh", "pull_request").wait(timeout=30) == -9
    assert not (tmp_path / "always-step-ran").exists()


def test_a_guard_that_cannot_decide_ends_the_worker_too(tmp_path: Path) -> None:
    hook = tmp_path / "guard.sh"
    shutil.copy(GUARD / "guard.sh", hook)  # without guard.py beside it
    assert worker(tmp_path, hook, "push").wait(timeout=30) == -9
    assert not (tmp_path / "always-step-ran").exists()


def test_cancelling_the_job_while_the_guard_decides_does_not_open_it(tmp_path: Path) -> None:
    hook = tmp_path / "guard.sh"
    shutil.copy(GUARD / "guard.sh", hook)
    (tmp_path / "guard.py").write_text(
        f"import pathlib, time\npathlib.Path({str(tmp_path / 'deciding')!r}).touch()\ntime.sleep(0.3)\nexit(1)\n",
        encoding="utf-8",
    )
    process = worker(tmp_path, hook, "push")
    deadline = time.monotonic() + 20
    while not (tmp_path / "deciding").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    for child in children:
        os.kill(int(child), 15)
    assert process.wait(timeout=30) == -9
    assert not (tmp_path / "always-step-ran").exists()


def test_the_guard_needs_nothing_but_the_interpreter(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import runpy; runpy.run_path({str(GUARD / 'guard.py')!r})"],
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 0
