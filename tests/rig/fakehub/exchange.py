"""One request as a handler sees it, its answer, and the refusals that GitHub gives in its own words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.rig.fakehub.world import Token, World

DOCS = "https://docs.github.com/rest"


@dataclass(frozen=True)
class Ask:
    """A request that was routed and may be answered."""

    args: dict[str, str]
    """The variables of the path template."""
    query: dict[str, str]
    body: Any
    token: Token


@dataclass(frozen=True)
class Reply:
    status: int
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    listing: str | None = None
    """Set when ``body`` is a whole list to be cut into pages: the key it is wrapped in, empty for a bare array."""


class Refused(Exception):
    """An answer that is a refusal."""

    def __init__(self, status: int, message: str, errors: list[Any] | None = None, **headers: str) -> None:
        super().__init__(message)
        self.status = status
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}
        self.body: dict[str, Any] = {"message": message, "documentation_url": DOCS, "status": str(status)}
        if errors is not None:
            self.body["errors"] = errors


Handler = Callable[[World, Ask], Reply]
Routes = dict[tuple[str, str], Handler]


def not_found() -> Refused:
    return Refused(404, "Not Found")


def invalid(resource: str, field_name: str, message: str, code: str = "custom") -> Refused:
    """GitHub's 422 for a field that breaks a rule."""
    error = {"resource": resource, "code": code, "field": field_name, "message": message}
    return Refused(422, "Validation Failed", [error])


def found(table: dict[Any, Any], key: Any) -> Any:
    """The entry, or GitHub's 404."""
    try:
        return table[key]
    except KeyError:
        raise not_found() from None
