"""The one boundary at which every error becomes a message and an exit code."""

from __future__ import annotations

import signal
import sys
import traceback

import click

from triage_bot.cli import main as group
from triage_bot.cli.told import tell
from triage_bot.errors import ExitCode, TriageError


def main() -> None:
    """Run the command line; an expected error ends in one message, a bug of ours says so."""
    # Who ends us politely gets the same: everything that runs is ended, and what was observed is kept.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        code = group.main(standalone_mode=False)
    except TriageError as error:
        tell(f"triage-bot: {error}\n  {error.advice}")
        code = error.exit_code
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("triage-bot: interrupted", err=True)
        code = ExitCode.INTERRUPTED
    except Exception:
        traceback.print_exc()
        click.echo(
            "triage-bot: this is a bug of triage-bot, not of your tests; please report the lines above", err=True
        )
        code = ExitCode.BUG
    sys.exit(code if isinstance(code, int) else ExitCode.DONE)


if __name__ == "__main__":
    main()
