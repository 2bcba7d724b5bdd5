"""Many schedules of one test: a seed each, the line that replays a failure, and the proof that a seed is a replay."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Callable
from contextlib import suppress

import pytest

from kvrace_tests.harness.runtime import EmulatedRuntime

PARAMETER = "kvrace_schedule"
"""Name of the parameter that carries a test's seed."""


class NondeterminismError(AssertionError):
    """The same seed gave two traces."""


def parametrize(metafunc: pytest.Metafunc, first_seed: int, count: int) -> None:
    """Give each test that uses the device ``count`` seeds, from ``first_seed`` on."""
    if "device" in metafunc.fixturenames:
        metafunc.fixturenames.append(PARAMETER)
        seeds = range(first_seed, first_seed + count)
        metafunc.parametrize(PARAMETER, seeds, ids=[f"seed{seed}" for seed in seeds])


def seed_of(item: pytest.Item) -> int | None:
    """The seed that a test was given; None when it runs once."""
    callspec = getattr(item, "callspec", None)
    return None if callspec is None else callspec.params.get(PARAMETER)


def replay_line(item: pytest.Item, seed: int) -> str:
    """The command that runs exactly this schedule again."""
    name = item.nodeid
    own = f"[seed{seed}]"
    # The parameter may stand alone or beside parameters of the test's own.
    name = name.removesuffix(own) if name.endswith(own) else name.replace(f"-seed{seed}]", "]")
    return f"pytest {shlex.quote(name)} --kvrace-runtime emulated --kvrace-seed {seed}"


def digest(runtime: EmulatedRuntime) -> str:
    """Twelve hex digits that stand for the whole trace."""
    return hashlib.sha256(runtime.device.run.trace.text().encode()).hexdigest()[:12]


def check_replay(runtime: EmulatedRuntime, seed: int, again: Callable[[], object]) -> None:
    """Run a test again under its seed; ``NondeterminismError`` when the trace is another one."""
    first = digest(runtime)
    runtime.start_replay(seed)
    # Whether it fails is the first run's to say; here only the trace counts.
    with suppress(Exception, pytest.skip.Exception, pytest.fail.Exception):
        again()
    second = digest(runtime)
    if first != second:
        raise NondeterminismError(
            f"seed {seed} gave the trace {first} and then {second}: the test draws on something that the seed does "
            "not control, such as a thread of its own, the wall clock or unseeded randomness"
        )
