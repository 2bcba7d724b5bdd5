"""What a machine's facts mean."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from triage_bot.adapters.runner import Guard, Runner
from triage_bot.core.machine import State, SuiteWindow, TorchFacts
from triage_bot.workflows.doctor import examine

GPU = TorchFacts(
    version="2.11.0+cu130",
    supported=True,
    supported_range="2.6 up to, not including, 3.0",
    devices=("NVIDIA H200",),
    driver="580.159",
    fork_seconds=0.4,
    cycles_per_second=1.97e9,
)
WINDOW = SuiteWindow(measured=True, told="cuda: window 10 ms")
GUARDED = Runner(hosted=False, ephemeral=True, guard=Guard.INSTALLED)


@dataclass(frozen=True)
class Found:
    """One check, looked up by its subject."""

    state: State
    detail: str


def found(
    torch: TorchFacts | None, runner: Runner | None = None, window: SuiteWindow | None = WINDOW
) -> dict[str, Found]:
    return {check.subject: Found(check.state, check.detail) for check in examine("3.12.3", torch, runner, window)}


def test_a_guarded_gpu_runner_is_good_all_over() -> None:
    assert {check.state for check in found(GPU, GUARDED).values()} == {State.GOOD}


def test_the_stall_is_given_in_cycles_of_this_device() -> None:
    assert "9.8 million cycles" in found(GPU)["spin"].detail


def test_a_machine_without_torch_says_what_still_works() -> None:
    checks = found(None)
    assert checks["torch"].state is State.NOTE
    assert "device" not in checks


def test_a_machine_without_a_device_claims_nothing_about_hooks_or_forks() -> None:
    checks = found(replace(GPU, devices=()))
    assert checks["device"].state is State.NOTE
    assert {"hooks", "forks", "spin"}.isdisjoint(checks)


def test_a_torch_out_of_range_is_named_with_the_range() -> None:
    assert "2.6 up to" in found(replace(GPU, version="2.4.0", supported=False))["torch"].detail


def test_missing_hooks_are_named_with_what_they_cost() -> None:
    hooks = found(replace(GPU, missing_hooks=("event_wait",)))["hooks"]
    assert "event_wait" in hooks.detail
    assert "suspected" in hooks.detail


def test_a_machine_whose_forks_fail_says_how_trials_run_instead() -> None:
    assert "fresh interpreter" in found(replace(GPU, fork_seconds=None))["forks"].detail


@pytest.mark.parametrize("guard", Guard)
def test_every_state_of_the_guard_has_a_meaning(guard: Guard) -> None:
    state = found(None, replace(GUARDED, guard=guard))["runner"].state
    assert (state is State.BAD) == (guard in {Guard.MISSING, Guard.REWRITABLE})


def test_a_runner_kept_between_jobs_is_noted() -> None:
    assert found(None, replace(GUARDED, ephemeral=False))["lifetime"].state is State.NOTE


def test_the_code_hosts_own_runner_needs_no_guard() -> None:
    runner = Runner(hosted=True, ephemeral=True, guard=Guard.MISSING)
    assert found(None, runner)["runner"].state is State.GOOD


def test_the_window_of_the_race_suite_is_told_in_its_own_words() -> None:
    assert found(GPU)["suite"] == Found(State.GOOD, "cuda: window 10 ms")


def test_a_race_suite_that_cannot_tell_its_window_is_noted_with_the_cause() -> None:
    broken = SuiteWindow(measured=False, told="the race suite does not run: no device")
    assert found(GPU, window=broken)["suite"] == Found(State.NOTE, "the race suite does not run: no device")
    assert found(GPU, window=None)["suite"].state is State.NOTE
