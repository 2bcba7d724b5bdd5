"""What ``doctor`` shows a person."""

from __future__ import annotations

from collections.abc import Sequence

from triage_bot.core.machine import Check


def render(checks: Sequence[Check]) -> str:
    """One line a check."""
    return "\n".join(f"{check.state.value:<5}{check.subject:<10}{check.detail}" for check in checks)
