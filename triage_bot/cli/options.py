"""Kinds of option values that commands share."""

from __future__ import annotations

import re

import click

_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "": 1.0}
_LONGEST = 1000 * 3600.0
"""What clocks and waits of the system take without complaint."""


class Duration(click.ParamType):  # type: ignore[type-arg,unused-ignore] # generic from click 8.3 on
    """Seconds, from ``90``, ``90s``, ``10m`` or ``1h``; at most 1000 hours."""

    name = "duration"

    def __init__(self, *, zero: bool = False) -> None:
        """``zero``: whether no time at all is a value, too."""
        self._zero = zero

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The seconds; fails with what a duration looks like."""
        if isinstance(value, float):
            return value
        found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", str(value).strip(), re.ASCII)
        if found is None or (float(found[1]) == 0 and not self._zero):
            self.fail(f"{value!r} is no duration: write 90s, 10m or 1h", param, ctx)
        if (seconds := float(found[1]) * _UNITS[found[2]]) > _LONGEST:
            self.fail(f"{value!r} is too long: 1000h is the most", param, ctx)
        return seconds
