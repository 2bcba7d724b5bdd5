"""GitHub Actions around a job: its environment, the event, the step summary, outputs, and a log that obeys nobody."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from triage_bot.adapters.github_event import Job
from triage_bot.errors import UsageError

SUMMARY = 2**20
"""Largest step summary that GitHub takes, in bytes."""
_COMMAND = re.compile(r"^([^\S\n]*)(::|##\[)", re.MULTILINE)


@dataclass(frozen=True)
class Actions:
    """What Actions tells a job. The token is not part of it."""

    event_name: str
    event: Mapping[str, Any]
    api: str
    """Address of the API."""
    site: str
    """Address for people."""
    job: Job
    summary: Path | None
    output: Path | None

    @classmethod
    def read(cls, environ: Mapping[str, str]) -> Actions:
        """From the variables that Actions sets. Raises ``UsageError`` where there is no event."""
        site = environ.get("GITHUB_SERVER_URL") or "https://github.com"
        repository, run_id = environ.get("GITHUB_REPOSITORY", ""), environ.get("GITHUB_RUN_ID", "0")
        # owner/name/.github/workflows/file.yml@ref
        workflow = environ.get("GITHUB_WORKFLOW_REF", "").removeprefix(f"{repository}/")
        return cls(
            event_name=environ.get("GITHUB_EVENT_NAME", ""),
            event=_event(environ.get("GITHUB_EVENT_PATH", "")),
            api=(environ.get("GITHUB_API_URL") or "https://api.github.com").rstrip("/"),
            site=site,
            job=Job(
                run_id=_number(run_id),
                attempt=_number(environ.get("GITHUB_RUN_ATTEMPT", "1")),
                url=f"{site}/{repository}/actions/runs/{run_id}",
                workflow=workflow,
            ),
            summary=_path(environ.get("GITHUB_STEP_SUMMARY", "")),
            output=_path(environ.get("GITHUB_OUTPUT", "")),
        )

    def summarize(self, text: str) -> None:
        """Add Markdown to the job's page; what is too long for it is cut."""
        if self.summary is not None:
            with self.summary.open("ab") as file:
                file.write(text.encode("utf-8", "replace")[: SUMMARY - 2] + b"\n")

    def put(self, outputs: Mapping[str, str]) -> None:
        """Set outputs of the step. The delimiter is drawn anew, so that no value can end its own block."""
        if self.output is not None:
            with self.output.open("a", encoding="utf-8") as file:
                for name, value in outputs.items():
                    delimiter = f"end-{secrets.token_hex(16)}"
                    file.write(f"{name}<<{delimiter}\n{value}\n{delimiter}\n")


def harmless(text: str) -> str:
    """Text for a log that Actions reads line by line: a line that would be a workflow command gets a bar before it."""
    return _COMMAND.sub(r"\1|\2", text.replace("\r", "\n"))


def _event(path: str) -> Mapping[str, Any]:
    if not path:
        raise _no_event("GITHUB_EVENT_PATH is not set")
    try:
        event = json.loads(Path(path).read_bytes())
    except OSError as error:
        raise _no_event(f"{path}: {error.strerror}") from None
    except ValueError:
        raise _no_event(f"{path} is no JSON") from None
    if not isinstance(event, dict) or not isinstance(event.get("repository"), dict):
        raise UsageError(f"{path} holds no event of GitHub", "Point GITHUB_EVENT_PATH to an event's JSON.")
    return event


def _no_event(why: str) -> UsageError:
    return UsageError(
        f"there is no event to act on: {why}",
        "Run it in GitHub Actions, or set GITHUB_EVENT_NAME and GITHUB_EVENT_PATH to an event that was recorded.",
    )


def _path(name: str) -> Path | None:
    return Path(name) if name else None


def _number(text: str) -> int:
    return int(text) if text.isdigit() else 0
