from __future__ import annotations

import pytest

from kvrace_tests.harness.power import summary


def _report(when: str = "call", **properties: str) -> pytest.TestReport:
    told = [(f"kvrace.{name}", value) for name, value in properties.items()]
    return pytest.TestReport("test", ("", 0, ""), {}, "passed", None, when, user_properties=told)  # type: ignore[arg-type]  # any of the three phases


def _case(control: str, seconds: str) -> pytest.TestReport:
    return _report(runtime="cuda", window="window 10 ms", control=control, control_seconds=seconds)


def test_power_is_the_wrong_blocks_of_all_controls_for_the_device_time_of_all_controls() -> None:
    window, power = summary([_case("24/24", "0.1000"), _case("20/24", "0.2000"), _case("0/24", "0.1000")])
    assert window == "kvrace on cuda: window 10 ms"
    assert power == (
        "kvrace on cuda: 2 of 3 controls raced: 44 wrong blocks in 0.40 s of control phases, 110 a second of the device"
    )


def test_a_session_without_cases_says_nothing() -> None:
    assert list(summary([_report(), _report(runtime="cuda", window="window 10 ms")])) == []
    assert list(summary([])) == []
