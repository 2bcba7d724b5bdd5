"""Turning ``/triage rerun`` into a dispatch of the race workflow, pinned to one commit, or into a refusal."""

from __future__ import annotations

from collections.abc import Collection

from triage_bot.core.commands import Refused, Rerun, match_test
from triage_bot.core.host import Home, Pull
from triage_bot.core.publication import Dispatch


def dispatch(command: Rerun, pull: Pull, home: Home, known: Collection[str] | None) -> Dispatch | Refused:
    """The run to start. ``known`` are the node ids of the last result on this head, None when there is no result.

    Code of a fork runs only where a maintainer has named the full hash that they have read, and it is still the head.
    """
    if not pull.open:
        return Refused("the pull request is closed")
    if command.sha is None and pull.head_repository != home.repository:
        return Refused("this is a fork's code, so name the full commit that you have read: `/triage rerun --sha …`")
    if command.sha is not None and command.sha != pull.head_sha:
        return Refused(f"the head is {pull.head_sha} now; read that, and name it")
    inputs = {"pull-request": str(pull.number), "sha": pull.head_sha}
    if command.test is not None:
        test = match_test(command.test, known or ())
        if isinstance(test, Refused):
            return test if known is not None else Refused("there is no result on this head yet to take a test from")
        inputs["test"] = test
    if command.trials is not None:
        inputs["trials"] = str(command.trials)
    return Dispatch(home.workflow, home.default_branch, tuple(inputs.items()))
