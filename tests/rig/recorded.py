"""Exchanges with the real GitHub that PyGithub's authors recorded: fetched with its source, read here, never kept."""

from __future__ import annotations

import json
import sys
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from werkzeug.exceptions import HTTPException
from werkzeug.routing import Map, Rule

from tests.rig.fakehub.description import operations
from tests.rig.fakehub.server import converted

SOURCES = Path(sys.prefix) / "sdists"


@dataclass(frozen=True)
class Exchange:
    """One request and GitHub's answer."""

    method: str
    path: str
    """Template of the operation, as in the description."""
    status: int
    answer: Any
    """Parsed JSON; None where there was none."""


@cache
def recorded() -> tuple[Exchange, ...]:
    """Every exchange whose operation the description's subset holds."""
    (source,) = SOURCES.glob("pygithub-*.tar.gz")
    table = Map([Rule(converted(path), methods=[method], endpoint=path) for method, path in operations()])
    adapter = table.bind("api.github.com")
    with tarfile.open(source) as archive:
        names = [name for name in archive.getnames() if "/ReplayData/" in name and name.endswith(".txt")]
        texts = [archive.extractfile(name).read().decode("utf-8") for name in sorted(names)]  # type: ignore[union-attr]
    found = []
    for method, url, status, answer in (fields for text in texts for fields in exchanges(text)):
        try:
            path, _ = adapter.match(urlsplit(url).path, method)
        except HTTPException:
            continue
        found.append(Exchange(method, path, status, answer))
    return tuple(found)


def exchanges(text: str) -> Iterator[tuple[str, str, int, Any]]:
    """Method, URL, status and answer of each recording in a file. Each begins with the scheme, on a line of its own."""
    lines = text.split("\n")
    for start in range(len(lines) - 9):
        scheme, method, _, _, url, _, _, status, _, body = lines[start : start + 10]
        if scheme not in ("http", "https") or not method.isupper() or not status.isdigit():
            continue
        try:
            yield method, url, int(status), json.loads(body) if body else None
        except ValueError:
            continue  # a download or a page, not JSON


Kinds = dict[str, set[str]]


def kinds_of(value: Any, where: str = "") -> Kinds:
    """JSON kind of every field, by its path; the elements of a list share one."""
    kinds: Kinds = {where: {type(value).__name__}}
    inner = (
        value.items()
        if isinstance(value, dict)
        else [("[]", item) for item in value]
        if isinstance(value, list)
        else ()
    )
    for key, item in inner:
        for path, found in kinds_of(item, f"{where}.{key}").items():
            kinds.setdefault(path, set()).update(found)
    return kinds
