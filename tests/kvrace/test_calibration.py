"""The window is as long as the device and its host need it, within bounds; what it cannot hold open is said."""

from __future__ import annotations

import pytest

from kvrace_tests.cases import test_store
from kvrace_tests.cases.phases import Phase
from kvrace_tests.harness.calibration import LONGEST_MS, SHORTEST_MS, Window, chosen
from kvrace_tests.harness.emulator import Emulator
from kvrace_tests.harness.judge import VACUOUS, Judge
from kvrace_tests.harness.timing import MILLISECOND, Timing
from kvrace_tests.offload.ordering import KEEP_ALL, without

BUSY = Timing(handover=(11 * MILLISECOND, 12 * MILLISECOND), preemption_odds=1_000_000_000)
"""A thread that is woken on this host starts later than the shortest window is long."""
OVERRUN = Timing(handover=(40 * MILLISECOND, 50 * MILLISECOND))
"""A thread that is woken on this host starts later than the longest window is long."""


@pytest.mark.parametrize(
    ("slowest", "milliseconds"), [(0.4, SHORTEST_MS), (5.0, 10.0), (5.1, 15.0), (14.9, 30.0), (40.0, LONGEST_MS)]
)
def test_a_window_is_twice_the_slowest_sample_in_steps_within_bounds(slowest: float, milliseconds: float) -> None:
    assert chosen([0.2, slowest, 0.3]) == Window(milliseconds, slowest, 3)


def test_a_window_that_would_have_to_be_longer_says_so() -> None:
    assert "vacuous" not in str(chosen([15.0]))
    assert "a control may be vacuous" in str(chosen([15.1]))


def test_the_emulated_window_is_the_same_for_all_seeds_and_leaves_their_traces_alone() -> None:
    untouched, asked = Emulator("5"), Emulator("5")
    assert asked.window == Emulator("6").window
    for device in (untouched, asked):
        device.new_stream("stream").sleep(1.0)
    assert asked.run.trace.text() == untouched.run.trace.text()


def test_a_busy_host_gets_a_window_in_which_the_control_still_races() -> None:
    device = Emulator("1", BUSY)
    assert device.window_ms > SHORTEST_MS
    assert test_store.drive(device, without(test_store.EDGE), Phase.CONTROL).wrong > 0


def test_a_host_that_no_window_outlasts_is_measured_once_and_its_controls_are_called_vacuous() -> None:
    device = Emulator("1", OVERRUN)
    assert device.window.samples == 1
    assert device.window.narrow
    judge = Judge(device, lambda name, value: None)
    control = test_store.drive(device, without(test_store.EDGE), Phase.CONTROL)
    fixed = test_store.drive(device, KEEP_ALL, Phase.FIXED)
    with pytest.raises(AssertionError, match=VACUOUS):
        judge(test_store.EDGE, control, fixed, guard="guard")
