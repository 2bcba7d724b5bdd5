"""From the name of a test in a report to its node id in a collected suite.

A class name does not say where the module ends and the class begins, and neither from which folder pytest was run. So
nothing is parsed out of it: every collected node id is written the way a report would write it, and compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from triage_bot.core.results import TestId

_UNWRITABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\x7f-\x84\x86-\x9f]")


@dataclass(frozen=True)
class Unresolved:
    """Why a test of a report cannot be told in the suite."""

    reason: str
    """One sentence, without the test's name."""


@dataclass(frozen=True)
class _Candidate:
    node_id: str
    classname: str

    @property
    def file(self) -> str:
        return self.node_id.partition("::")[0]


class Resolver:
    """Looks tests of reports up among the node ids of one suite."""

    def __init__(self, collected: Iterable[str]) -> None:
        self._node_ids = frozenset(collected)
        self._by_name: dict[str, list[_Candidate]] = {}
        for node_id in sorted(self._node_ids):
            classname, name = reported(node_id)
            self._by_name.setdefault(name, []).append(_Candidate(node_id, classname))

    def resolve(self, test: TestId, file: str = "") -> str | Unresolved:
        """The node id of a test; ``file`` is the test's own file where the report tells it."""
        for whole in (test.name, str(test)):
            if whole in self._node_ids:
                return whole
        if not test.name:
            return Unresolved("the report gives no name for it")
        named = self._by_name.get(test.name, [])
        if not named:
            return Unresolved(f"the suite has no test called {test.name}")
        fitting = _fitting(named, test.classname)
        if len(fitting) > 1 and file:
            fitting = [one for one in fitting if _ends_alike(one.file, file.replace("\\", "/"), "/")]
        if len(fitting) == 1:
            return fitting[0].node_id
        if not fitting:
            return Unresolved(f"no test called {test.name} lies where {test.classname} points")
        return Unresolved(f"{len(fitting)} tests of the suite may be meant, {fitting[0].node_id} among them")


def reported(node_id: str) -> tuple[str, str]:
    """Class name and name that pytest's reports give the test of a node id, xunit1 and xunit2 alike."""
    address, bracket, parameters = node_id.partition("[")
    file, *names = address.split("::")
    parts = [file.removesuffix(".py").replace("/", "."), *names]
    classname, name = ".".join(parts[:-1]), parts[-1] + bracket + parameters
    return as_reported(classname), as_reported(name)


def as_reported(text: str) -> str:
    """The text as pytest writes it to a report, where what XML forbids is spelled out."""
    return _UNWRITABLE.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"#x{code:02X}" if code <= 0xFF else f"#x{code:04X}"


def _fitting(named: list[_Candidate], classname: str) -> list[_Candidate]:
    """Those with this class name; else those where one class name ends in the other, the reports of another root."""
    same = [one for one in named if one.classname == classname]
    return same or [one for one in named if _ends_alike(one.classname, classname, ".")]


def _ends_alike(one: str, other: str, separator: str) -> bool:
    shorter, longer = sorted((one, other), key=len)
    return longer == shorter or longer.endswith(separator + shorter) or not shorter
