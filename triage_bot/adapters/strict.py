"""Reading JSON that an enemy may have written: every value is asked for by type and bound, or refused by its path.

Bounds the size, not the time: the caller caps the bytes before they are parsed.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection
from dataclasses import dataclass
from enum import Enum
from typing import NoReturn, TypeVar

from triage_bot.errors import UnreadableInputError

T = TypeVar("T")
E = TypeVar("E", bound=Enum)

TEXT = 65_536
"""Longest string that is read, in characters."""
COUNT = 2**53
"""Largest whole number that is read: the largest that every JSON reader agrees on."""


@dataclass(frozen=True)
class Node:
    """A JSON value and where it stands. Every method returns what it names, or raises ``UnreadableInputError``."""

    value: object
    path: str
    """For messages, e.g. ``triage.json: findings[3].arms``."""

    def refuse(self, expected: str) -> NoReturn:
        """End the reading here."""
        raise UnreadableInputError(
            f"{self.path} is not {expected}",
            "Read a triage.json that this version of `triage-bot rerun` wrote, unchanged.",
        )

    def fields(self, required: Collection[str], optional: Collection[str] = ()) -> dict[str, Node]:
        """An object with exactly these keys; an absent optional one reads as null."""
        if not isinstance(self.value, dict):
            self.refuse("an object")
        missing = [key for key in required if key not in self.value]
        if missing:
            self.refuse(f"an object with the key {missing[0]!r}")
        if any(key not in required and key not in optional for key in self.value):
            self.refuse(f"an object with only the keys {', '.join([*required, *optional])}")
        return {key: Node(self.value.get(key), f"{self.path}.{key}") for key in [*required, *optional]}

    def items(self, most: int) -> list[Node]:
        """An array of at most ``most`` elements."""
        if not isinstance(self.value, list) or len(self.value) > most:
            self.refuse(f"an array of at most {most} elements")
        return [Node(element, f"{self.path}[{index}]") for index, element in enumerate(self.value)]

    def text(self, most: int = TEXT) -> str:
        """A string that can be written as UTF-8."""
        if not isinstance(self.value, str) or len(self.value) > most:
            self.refuse(f"a string of at most {most} characters")
        if any("\ud800" <= character <= "\udfff" for character in self.value):
            self.refuse("text: it holds half of a surrogate pair")
        return self.value

    def integer(self, low: int = 0) -> int:
        """A whole number from ``low`` to ``COUNT``."""
        if type(self.value) is not int or not low <= self.value <= COUNT:
            self.refuse(f"a whole number from {low} to 2**53")
        return self.value

    def number(self, low: float, high: float) -> float:
        """A finite number in the closed range."""
        if type(self.value) not in (int, float):
            self.refuse("a number")
        number = float(self.value) if type(self.value) is float else float(self.integer())
        if not math.isfinite(number) or not low <= number <= high:
            self.refuse(f"a number from {low:g} to {high:g}")
        return number

    def flag(self) -> bool:
        """True or false."""
        if not isinstance(self.value, bool):
            self.refuse("true or false")
        return self.value

    def member(self, enum: type[E]) -> E:
        """The member whose value is this string."""
        found = next((member for member in enum if self.value == member.value), None)
        if found is None:
            self.refuse(f"one of {', '.join(str(member.value) for member in enum)}")
        return found

    def maybe(self, read: Callable[[Node], T]) -> T | None:
        """None for null, else what ``read`` makes of it."""
        return None if self.value is None else read(self)

    def text_or_empty(self) -> str:
        """Empty for null, else the string."""
        return self.maybe(Node.text) or ""

    def integer_or_zero(self) -> int:
        """0 for null, else the whole number."""
        return self.maybe(Node.integer) or 0


def parse(data: bytes, name: str) -> Node:
    """The value of a whole JSON document: UTF-8, no duplicate keys, no NaN. Raises ``UnreadableInputError``."""
    try:
        value = json.loads(data.decode("utf-8"), object_pairs_hook=_distinct, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)[:200]
        raise UnreadableInputError(
            f"{name} is not JSON: {reason}", "Upload the file that `triage-bot rerun` wrote, unchanged."
        ) from None
    return Node(value, name)


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Two readers may take different ones of two equal keys, so neither is taken."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("an object holds a key twice")
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")
