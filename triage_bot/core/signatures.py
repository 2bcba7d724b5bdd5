"""What the text of a failure says about its family. A text yields a family, never a verdict.

The rules are data, in ``signatures.toml`` beside this file, each with the source it comes from. They are tried over the
lines in which a failure speaks: its type and message, the error lines of its traceback, what it printed. Source lines
that a traceback quotes are left out, and what a failed assertion demanded: code that handles an error names it, too.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from triage_bot.core.results import Failure

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

INFRASTRUCTURE = "infrastructure"
GUARD = "guard"
VACUOUS_CONTROL = "vacuous-control"
STICKY_CUDA = "sticky-cuda"
OUT_OF_MEMORY = "out-of-memory"
CRASH = "crash"
TIMEOUT = "timeout"
IMPORT_ERROR = "import-error"

_LONGEST = 6_000
"""Characters of a text that are looked at: its end, where the errors stand."""
_QUOTED_SOURCE = re.compile(r'^[ \t]*File "[^"\n]*", line \d+[^\n]*\n(?:[ \t]+[^\n]*\n?)?', re.MULTILINE)

_QUOTED_CLAIM = re.compile(
    r"^[ \t]*(?:(?:AssertionError: )?assert |(?:expected )?regex: )[^\n]*"
    # What pytest and unittest say of an error that was demanded and did not come, and of a text that was looked for.
    r"|\bDID NOT (?:RAISE|WARN)\b[^\n]*"
    r"|^[ \t]*(?:AssertionError: )?[\w.]+ not (?:raised|triggered)\b[^\n]*"
    r"|^[ \t]*(?:AssertionError: )?(?:\"[^\n]*\" does not match (?=[\"'])|(['\"])[^\n]*?\1 not found in (?=['\"\[(]))",
    re.MULTILINE | re.IGNORECASE,
)
"""Lines that quote what a test demands, as against what happened."""


_CLAIMS = ("AssertionError", "Failed", "ComparisonFailure", "AssertionFailedError")
"""Exceptions with which a test says that something is not as it should be."""
_ASIDE = re.compile(r"^[^\n]*\b(?:WARNING|INFO|DEBUG|Retry(?:ing)?)\b[^\n]*$", re.MULTILINE | re.IGNORECASE)
"""Lines of a log after which the program went on."""


@dataclass(frozen=True)
class Rule:
    """One kind of failure text."""

    family: str
    kind: str
    """Which sort of the family it is, e.g. ``disk`` of ``infrastructure``."""
    sticky: bool
    """Whether later failures in the same process may be its consequence."""
    words: tuple[str, ...]
    """In small letters; a text without any of them matches none of the patterns."""
    patterns: tuple[re.Pattern[str], ...]
    source: str
    """Where texts of this kind were seen, or who documents them."""


@lru_cache(maxsize=1)
def rules() -> tuple[Rule, ...]:
    """All rules, in the order in which they are tried."""
    document = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return tuple(
        Rule(
            rule["family"],
            rule["kind"],
            rule.get("sticky", False),
            tuple(rule["words"]),
            tuple(re.compile(pattern, re.IGNORECASE | re.MULTILINE) for pattern in rule["any"]),
            rule["source"],
        )
        for rule in document["rule"]
    )


@lru_cache(maxsize=4096)
def match(text: str) -> Rule | None:
    """The first rule that a text matches; None when it is of no known family."""
    heard = text[-_LONGEST:]
    small = heard.lower()
    for rule in rules():
        if any(word in small for word in rule.words) and any(pattern.search(heard) for pattern in rule.patterns):
            return rule
    return None


def rule_of(failure: Failure) -> Rule | None:
    """The rule that matches what a failure says, its own words before what was printed."""
    said = f"{failure.type}: {failure.message}" if failure.type else failure.message
    own = match(_QUOTED_CLAIM.sub("", f"{_errors(failure.text)}\n{said}"))
    return own or (_printed(failure.output) if failure.output and not _claims(failure) else None)


def _claims(failure: Failure) -> bool:
    """Whether it is a claim of the test, in words: what was printed before is then no word on why it failed."""
    return failure.type.rpartition(".")[2] in _CLAIMS and bool(failure.message.strip())


def _printed(output: str) -> Rule | None:
    """The rule that matches what was printed, asides left out. Another process may have printed it."""
    rule = match(_ASIDE.sub("", output))
    return replace(rule, sticky=False) if rule else None


def family(failure: Failure) -> str:
    """The family of a failure's text; empty when it is of none."""
    rule = rule_of(failure)
    return rule.family if rule else ""


def _errors(text: str) -> str:
    """The lines of a traceback that tell errors: those that pytest marks, or all that quote no source."""
    marked = [line[1:].strip() for line in text.splitlines() if line.startswith("E ")]
    return "\n".join(marked) if marked else _QUOTED_SOURCE.sub("", text)
