"""``triage-bot doctor``."""

from __future__ import annotations

import os
import platform
from pathlib import Path

import click

from triage_bot.adapters.runner import inspect_runner
from triage_bot.adapters.terminal_doctor import render
from triage_bot.lab import bundled
from triage_bot.lab.torch_runtime import examine as torch_facts
from triage_bot.workflows.doctor import examine


@click.command("doctor")
def command() -> None:
    """What this machine can do.

    Looks for torch, its hooks, a CUDA device, whether forked trials work on it, how fast its stalls count, how long the
    bundled race suite holds its races open here, and whether this runner is guarded against code of forks. Uses the
    device for a few seconds; changes nothing.
    """
    runner = inspect_runner(os.environ, Path.cwd())
    # The suite first: it forks nothing, and a process that has examined torch holds the device.
    window = bundled.window()
    click.echo(render(examine(platform.python_version(), torch_facts(), runner, window)))
