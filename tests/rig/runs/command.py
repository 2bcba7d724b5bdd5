"""The bot's commands as a job calls them: the command line, with the variables that Actions sets and no others."""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import os
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from tests.rig.fakehub.world import Run, World
from tests.rig.runs import events
from triage_bot.__main__ import main
from triage_bot.adapters import wire
from triage_bot.core.findings import Triage

QUICK = {"TRIAGE_BOT_PAUSE": "0", "TRIAGE_BOT_BETWEEN_WRITES": "0"}


@dataclass(frozen=True)
class Said:
    """What a command came to."""

    code: int
    out: str
    err: str
    summary: str
    outputs: str


class Desk:
    """Calls commands for one repository."""

    def __init__(self, world: World, folder: Path) -> None:
        self.world = world
        self._folder = folder
        self._calls = itertools.count()

    def finished(self, blob: bytes | Triage, **fields: Any) -> Run:
        """A run of the race workflow that has ended and left this artifact: a zip, or the triage to put in one."""
        pull = self.world.pulls[7]
        run = self.world.add_run(
            **{
                "workflow": "gpu-race.yml",
                "event": "pull_request",
                "head_sha": pull.head_sha,
                "head_branch": pull.head_branch,
                "head_repository": pull.head_repository,
                "title": "A change",
                "conclusion": "failure",
                **fields,
            }
        )
        held = zipped({"triage.json": wire.write(blob)}) if isinstance(blob, Triage) else blob
        self.world.add_artifact(run.id, "triage", held)
        return run

    def call(self, command: str, name: str, event: dict[str, Any], *options: str) -> Said:
        """Run a command with the environment that Actions gives a job, and nothing else in it."""
        folder = self._folder / f"call-{next(self._calls)}"
        folder.mkdir()
        (folder / "event.json").write_text(json.dumps(event), encoding="utf-8")
        environ = {
            **QUICK,
            "PATH": os.environ["PATH"],
            "GITHUB_EVENT_NAME": name,
            "GITHUB_EVENT_PATH": str(folder / "event.json"),
            "GITHUB_API_URL": self.world.base_url,
            "GITHUB_REPOSITORY": self.world.repository,
            "GITHUB_TOKEN": "tok",
            "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
            "GITHUB_OUTPUT": str(folder / "outputs"),
        }
        out, err = io.StringIO(), io.StringIO()
        with (
            mock.patch.dict(os.environ, environ, clear=True),
            mock.patch.object(sys, "argv", ["triage-bot", command, *options]),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            pytest.raises(SystemExit) as ended,
        ):
            main()
        texts = [folder / name for name in ("summary.md", "outputs")]
        summary, outputs = [path.read_text(encoding="utf-8") if path.exists() else "" for path in texts]
        return Said(int(ended.value.code or 0), out.getvalue(), err.getvalue(), summary, outputs)

    def publish(self, run: Run, *options: str) -> Said:
        """What follows on a finished run."""
        event = events.workflow_run(self.world, run)
        return self.call("publish", "workflow_run", event, *options)

    def comment(self, author: str, body: str, action: str = "created") -> Said:
        """Somebody comments on pull request 7."""
        event = events.issue_comment(self.world, self.world.add_comment(7, author, body), action)
        return self.call("respond", "issue_comment", event)


def zipped(members: dict[str, bytes]) -> bytes:
    """A zip archive of these members, by whatever names."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return held.getvalue()
