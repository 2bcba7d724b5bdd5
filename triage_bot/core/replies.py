"""What the bot says without a result: the hint on a fork, the list of commands, a refusal."""

from __future__ import annotations

from triage_bot.core import markdown
from triage_bot.core.commands import USAGE
from triage_bot.core.host import Home, Pull
from triage_bot.core.marker import Marker


def fork_hint(pull: Pull, home: Home, since: str) -> str:
    """The comment on a fork's pull request: why nothing ran, and how a maintainer starts it for this very commit."""
    marker = Marker(pull.head_sha, 0, 0, since)
    diff = f"{home.url}/{home.repository}/pull/{pull.number}/files/{pull.head_sha}"
    return "\n".join(
        [
            str(marker),
            "## ⏸️ Not run: this pull request comes from a fork",
            "",
            "Code of a fork runs on our GPUs only when a maintainer has read it. A maintainer who has read "
            f"[this commit]({diff}) starts it with:",
            "",
            markdown.fence(f"/triage rerun --sha {pull.head_sha}"),
            "",
            "A later push needs a new look and a new comment.",
            "",
        ]
    )


def usage() -> str:
    """The commands, for a maintainer who asked."""
    rows = [f"| {markdown.cell(command)} | {meaning} |" for command, meaning in USAGE.items()]
    return "\n".join(
        [
            "Commands are the first line of a new comment, by someone with write permission:",
            "",
            "| comment | does |",
            "|:--|:--|",
            *rows,
            "",
            "TEST is a node id, or a part of one that no other finding has. Put one with spaces between backticks.",
            "",
        ]
    )


def refusal(login: str, reason: str, asked: str) -> str:
    """Why a command was not done."""
    return f"{markdown.code(login, 60)} asked for {markdown.code(asked, 120)}, which is not done: {reason}.\n"
