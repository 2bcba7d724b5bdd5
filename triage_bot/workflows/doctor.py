"""What this machine can do: facts in, checks out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from triage_bot.core.machine import Check, State, SuiteWindow, TorchFacts

_STALL_SECONDS = 0.005


class RunnerFacts(Protocol):
    """A self-hosted or hosted runner of the code host, as seen from inside."""

    @property
    def hosted(self) -> bool:
        """The code host's own machine."""

    @property
    def ephemeral(self) -> bool:
        """Registered for one job only."""

    @property
    def guard(self) -> str:
        """``installed``, ``rewritable``, ``not-ours`` or ``missing``."""


_GUARDS = {
    "installed": (State.GOOD, "guarded: jobs that bring code of another repository are refused"),
    "rewritable": (
        State.BAD,
        "guarded, but the user that runs the jobs may rewrite the guard: give the files to another user",
    ),
    "not-ours": (State.NOTE, "a job-started hook of another maker is installed; whether it refuses forks is not known"),
    "missing": (
        State.BAD,
        "unguarded: a fork's workflow that asks for this runner gets it; make runner/guard.sh its job-started hook",
    ),
}


def examine(
    python: str, torch: TorchFacts | None, runner: RunnerFacts | None, window: SuiteWindow | None
) -> Sequence[Check]:
    """The checks of this machine, in the order in which they are shown."""
    return [Check("python", State.GOOD, python), *_torch(torch), *_window(window), *_runner(runner)]


def _torch(torch: TorchFacts | None) -> Iterator[Check]:
    if torch is None:
        yield Check("torch", State.NOTE, "not installed: only suites with a device of their own can be probed")
        return
    if torch.supported:
        yield Check("torch", State.GOOD, torch.version)
    else:
        detail = f"{torch.version}, outside the range that its hooks were made for ({torch.supported_range})"
        yield Check("torch", State.NOTE, detail)
    if torch.devices:
        yield from _device(torch)
    else:
        yield Check("device", State.NOTE, "no CUDA device that torch can use: only emulated suites run here")


def _device(torch: TorchFacts) -> Iterator[Check]:
    driver = torch.driver or "of unknown version"
    yield Check("device", State.GOOD, f"{', '.join(torch.devices)}; driver {driver}")
    if torch.missing_hooks:
        detail = f"missing {', '.join(torch.missing_hooks)}: verdicts that rest on them stay suspected"
        yield Check("hooks", State.NOTE, detail)
    else:
        yield Check("hooks", State.GOOD, "all there")
    if torch.fork_seconds is None:
        yield Check("forks", State.NOTE, "a forked child cannot use the device: each trial starts a fresh interpreter")
    else:
        yield Check("forks", State.GOOD, f"a forked child used the device within {torch.fork_seconds:.2f} s")
    rate = torch.cycles_per_second
    stall = f"a stall of {_STALL_SECONDS * 1000:g} ms is {rate * _STALL_SECONDS / 1e6:.1f} million cycles"
    yield Check("spin", State.GOOD if rate else State.BAD, f"{rate / 1e9:.2f} GHz: {stall}")


def _window(window: SuiteWindow | None) -> Iterator[Check]:
    if window is None:
        yield Check("suite", State.NOTE, "the bundled race suite is not installed")
    else:
        yield Check("suite", State.GOOD if window.measured else State.NOTE, window.told)


def _runner(runner: RunnerFacts | None) -> Iterator[Check]:
    if runner is None:
        yield Check("runner", State.NOTE, "this is no runner of GitHub Actions, or it cannot be seen from here")
        return
    if runner.hosted:
        yield Check("runner", State.GOOD, "GitHub's own machine, new for each job")
        return
    state, detail = _GUARDS[runner.guard]
    yield Check("runner", state, detail)
    if runner.ephemeral:
        yield Check("lifetime", State.GOOD, "registered for one job only")
    else:
        detail = "kept between jobs, and what one leaves behind the next one finds: register it with --ephemeral"
        yield Check("lifetime", State.NOTE, detail)
