"""Messages that quote what others wrote, on their way to a person."""

from __future__ import annotations

import click

from triage_bot.adapters.actions import harmless
from triage_bot.adapters.plain import visible


def tell(text: str) -> None:
    """Print to standard error; nothing in it moves the cursor, or gives Actions a command."""
    click.echo(harmless(visible(text)), err=True)
