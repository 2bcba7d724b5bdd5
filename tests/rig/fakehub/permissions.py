"""What a job's token must be allowed for each operation, as GitHub documents it. ``metadata`` is always there."""

from __future__ import annotations

from tests.rig.fakehub.exchange import Refused
from tests.rig.fakehub.world import Token

LEVELS = {"none": 0, "read": 1, "write": 2}
NOT_FOR_INTEGRATIONS = {"/user"}
"""Answered for people only: a job's token gets a 403."""


def scopes(method: str, path: str) -> tuple[str, ...]:
    """Any one of these scopes opens the operation; empty for what everyone may see."""
    rest = path.removeprefix("/repos/{owner}/{repo}")
    if rest.startswith("/issues") or rest.startswith("/labels"):
        return ("issues", "pull_requests")
    if rest.startswith("/pulls") or rest.endswith("/{commit_sha}/pulls"):
        return ("pull_requests",)
    if "check-runs" in rest:
        return ("checks",)
    if rest.startswith("/actions"):
        return ("actions",)
    if rest.startswith(("/contents", "/commits", "/compare")):
        return ("contents",)
    return ()


def enforce(token: Token | None, method: str, path: str) -> Token:
    """The token, if it may; GitHub's own refusals else."""
    if token is None:
        raise Refused(401, "Bad credentials")
    needed = LEVELS["read" if method == "GET" else "write"]
    wanted = scopes(method, path)
    held = max((LEVELS[token.permissions.get(scope, "none")] for scope in wanted), default=needed)
    integration = token.actor.endswith("[bot]")
    if integration and (held < needed or path in NOT_FOR_INTEGRATIONS):
        accepted = ",".join(f"{scope}={'read' if method == 'GET' else 'write'}" for scope in wanted)
        raise Refused(403, "Resource not accessible by integration", X_Accepted_GitHub_Permissions=accepted)
    return token
