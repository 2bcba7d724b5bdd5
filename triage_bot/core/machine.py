"""What a machine can do for triage: facts that were gathered, and what they mean."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, unique


@unique
class State(str, Enum):
    """How well a check went."""

    GOOD = "ok"
    NOTE = "note"
    """Works, with a limit that the detail names."""
    BAD = "bad"
    """Something that triage relies on is missing or unsafe."""


@dataclass(frozen=True)
class Check:
    """One thing that was looked at."""

    subject: str
    """One word."""
    state: State
    detail: str
    """What was found, and what to do about it unless it is good."""


@dataclass(frozen=True)
class TorchFacts:
    """What torch and the driver told."""

    version: str
    supported: bool
    """Within the range that the hooks are made for."""
    supported_range: str
    """That range, as text."""
    devices: tuple[str, ...] = ()
    """Names of the CUDA devices; empty when there is none, and then nothing below is known."""
    missing_hooks: tuple[str, ...] = ()
    """Names as in ``hook-missing:NAME``."""
    driver: str = ""
    """Version of the driver; empty without a device or when unknown."""
    fork_seconds: float | None = None
    """How long a forked child took to use the device and end; None when it could not, or without a device."""
    cycles_per_second: float = 0.0
    """Clock that the spin kernel counts; 0 without a device."""


@dataclass(frozen=True)
class SuiteWindow:
    """How long the bundled race suite holds its races open on this machine."""

    measured: bool
    """Whether the suite could tell."""
    told: str
    """What it said, on one line; or why it could not."""
