"""Detection power: how many races the controls of a session showed for the device time that they took."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pytest


@dataclass(frozen=True)
class _Control:
    wrong: int
    seconds: float


def summary(reports: Iterable[pytest.TestReport]) -> Iterator[str]:
    """Two lines for each device that cases ran on, from the properties that they left in these reports."""
    windows: dict[str, str] = {}
    controls: dict[str, list[_Control]] = {}
    for report in reports:
        told = dict(report.user_properties)
        if report.when != "call" or "kvrace.control_seconds" not in told:
            continue
        device = str(told["kvrace.runtime"])
        windows[device] = str(told["kvrace.window"])
        wrong = int(str(told["kvrace.control"]).partition("/")[0])
        controls.setdefault(device, []).append(_Control(wrong, float(str(told["kvrace.control_seconds"]))))
    for device, window in windows.items():
        yield f"kvrace on {device}: {window}"
        yield f"kvrace on {device}: {_told(controls[device])}"


def _told(controls: list[_Control]) -> str:
    raced = [control for control in controls if control.wrong]
    wrong, seconds = sum(control.wrong for control in raced), sum(control.seconds for control in controls)
    return (
        f"{len(raced)} of {len(controls)} controls raced: {wrong} wrong blocks in {seconds:.2f} s of control phases, "
        f"{wrong / seconds:.0f} a second of the device"
    )
