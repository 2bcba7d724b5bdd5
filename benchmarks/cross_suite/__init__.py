"""Suites of known truth for the search across tests: one victim, one polluter, and innocent tests in between.

A suite is one plain module, put together from the parts of a device by a seed: which innocent tests, in which order,
where the polluter stands and where its victim. The same seed gives the same suite.
"""

from __future__ import annotations

import ast
import random
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

HERE = Path(__file__).parent
NEAR = 30
"""Work in flight is over some day: so many innocent tests at most run before it is met."""


@dataclass(frozen=True)
class Kind:
    """What a polluter leaves behind."""

    name: str
    truth: str
    """The verdict on the victim."""
    left: str
    """Words that the finding must say of it."""
    near: int | None = None
    """At most so many innocent tests run between the two; None where it lasts for ever."""
    by_chance: bool = False
    """Half of the trials pass whatever is done: comparing them alone takes more trials than the rest is allowed."""

    @property
    def asynchronous(self) -> bool:
        """Whether it is work in flight, rather than state."""
        return self.truth == "cross-test-contamination"


KINDS = {
    kind.name: kind
    for kind in (
        Kind("kernels", "cross-test-contamination", "passes on is work in flight", NEAR),
        Kind("window", "cross-test-contamination", "passes on is work in flight", NEAR),
        Kind("chance", "cross-test-contamination", "passes on is work in flight", NEAR, by_chance=True),
        Kind("copy", "cross-test-contamination", "passes on is work in flight", NEAR),
        Kind("setting", "order-dependent", "passes on is state"),
        Kind("environment", "order-dependent", "passes on is state"),
        Kind("registration", "order-dependent", "host registration"),
        Kind("memory", "order-dependent", "device memory"),
        Kind("last-error", "order-dependent", "a CUDA error", 0),
        Kind("sticky", "order-dependent", "a CUDA error", 0),
    )
}


@dataclass(frozen=True)
class Suite:
    """One generated module and what is true of it."""

    kind: Kind
    source: str
    tests: tuple[str, ...]
    """Names, in their order."""
    polluter: str
    victim: str

    @property
    def before(self) -> tuple[str, ...]:
        """The tests that run before the victim."""
        return self.tests[: self.tests.index(self.victim)]


def kinds(device: str) -> tuple[Kind, ...]:
    """The kinds that can be expressed on a device, ``emulated`` or ``torch``."""
    _, parts = _parts(device)
    return tuple(kind for kind in KINDS.values() if f"victim_{kind.name.replace('-', '_')}" in parts)


def generate(device: str, kind: Kind, seed: int, size: int = 200) -> Suite:
    """The suite of a seed."""
    prelude, parts = _parts(device)
    chance = random.Random(f"{kind.name} {seed}")
    name = kind.name.replace("-", "_")
    at_victim = chance.randrange(size // 10, size)
    farthest = at_victim if kind.near is None else min(at_victim, kind.near + 1)
    at_polluter = at_victim - chance.randrange(1, farthest + 1)
    innocent = sorted(part for part in parts if part.startswith("innocent_"))
    chosen = [chance.choice(innocent) for _ in range(size)]
    if kind.asynchronous:
        # What waits for the whole device would end the work before it is met.
        quiet = [part for part in innocent if "synchronizing" not in part]
        chosen[at_polluter:at_victim] = [chance.choice(quiet) for _ in range(at_polluter, at_victim)]
    chosen[at_polluter], chosen[at_victim] = f"polluter_{name}", f"victim_{name}"
    # No name tells who is who.
    names = [f"test_{at:03}" for at in range(size)]
    bodies = [parts[part].replace(f"def {part}(", f"def {test}(") for part, test in zip(chosen, names, strict=True)]
    source = prelude + "\n\n" + "\n\n\n".join(bodies) + "\n"
    return Suite(kind, source, tuple(names), names[at_polluter], names[at_victim])


@lru_cache(maxsize=2)
def _parts(device: str) -> tuple[str, dict[str, str]]:
    """What goes before the tests, and the text of each part."""
    text = (HERE / f"{device}_parts.py").read_text(encoding="utf-8")
    lines = text.splitlines()
    functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    parts = [node for node in functions if node.name.startswith(("innocent_", "polluter_", "victim_"))]
    prelude = lines[: parts[0].lineno - 1]
    while not prelude[-1] or prelude[-1].startswith("#"):
        prelude.pop()
    return "\n".join(prelude) + "\n", {node.name: "\n".join(lines[node.lineno - 1 : node.end_lineno]) for node in parts}
