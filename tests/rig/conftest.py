"""Fixtures of the rig: a served fake, and a client of the kind that the bot uses."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from github import Auth, Github

from tests.rig.fakehub.server import Hub, serve
from tests.rig.fakehub.world import Token, World

HEAD = "a" * 40
FORK = "mallory/kernels"
ALL = {"actions": "write", "checks": "write", "contents": "read", "issues": "write", "pull_requests": "write"}


@pytest.fixture
def world() -> World:
    world = World()
    world.tokens["tok"] = Token(dict(ALL))
    world.add_pull(7, HEAD, files={"tests/test_a.py": "@@ -1,2 +1,3 @@\n a\n+b\n c"})
    return world


@pytest.fixture
def hub(world: World) -> Iterator[Hub]:
    with serve(world) as hub:
        yield hub
        assert hub.violations == []


@pytest.fixture
def client(hub: Hub) -> Iterator[Github]:
    """PyGithub without its politeness and without its retries: what the fake answers is what a test sees."""
    client = Github(
        base_url=hub.world.base_url,
        auth=Auth.Token("tok"),
        retry=None,
        seconds_between_requests=0,
        seconds_between_writes=0,
    )
    yield client
    client.close()
