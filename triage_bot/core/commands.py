"""The text of a comment to what it asks for. A command is the first line of a comment and nothing else."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

MOST_TRIALS = 200
"""Largest ``-n`` that a comment may ask for: a comment costs somebody's GPU."""
USAGE = {
    "/triage rerun [TEST] [-n N]": "run the experiment again on the current head",
    "/triage rerun --sha SHA [TEST] [-n N]": "the same on a fork: the full hash of the commit that you have read",
    "/triage review": "review the pull request with the fixes that were tried",
    "/triage accept TEST REASON…": "excuse one finding, on this head only",
    "/triage help": "this list",
}
"""Every command and what it does."""


@dataclass(frozen=True)
class Rerun:
    """Run the experiment, on one test or on what fails."""

    test: str | None = None
    trials: int | None = None
    sha: str | None = None
    """40 hexadecimal digits that the maintainer vouches for."""


@dataclass(frozen=True)
class Review:
    """Review the pull request."""


@dataclass(frozen=True)
class Accept:
    """Excuse a finding."""

    test: str
    reason: str


@dataclass(frozen=True)
class Help:
    """List the commands."""


@dataclass(frozen=True)
class Ignored:
    """Not a command for us: stay silent."""

    reason: str


@dataclass(frozen=True)
class Refused:
    """A command that is not done, and why: tell the one who asked."""

    reason: str


Command = Rerun | Review | Accept | Help


def parse(body: str) -> Command | Ignored | Refused:
    """What a comment asks for. Quotes, code and every line but the first are talk."""
    first = body.splitlines()[0].rstrip() if body else ""
    if first != "/triage" and not first.startswith("/triage "):
        return Ignored("its first line is no command")
    if any(ord(character) < 32 or ord(character) == 127 for character in first):
        return Refused("the command holds control characters")
    words = first.split(maxsplit=2)
    name, rest = words[1] if len(words) > 1 else "help", words[2] if len(words) > 2 else ""
    if name == "rerun":
        return _rerun(rest)
    if name == "accept":
        return _accept(rest)
    if name in ("review", "help"):
        return Refused(f"`{name}` takes nothing after it") if rest else Review() if name == "review" else Help()
    return Refused("there is no such command; `/triage help` lists them")


def match_test(name: str, known: Collection[str]) -> str | Refused:
    """The one known node id that a name means: the id itself, its last part, or a part that no other holds."""
    if name.startswith(("-", "@")):
        return Refused("the name of a test starts with neither `-` nor `@`")
    for fits in (
        [test for test in known if test == name],
        [test for test in known if test.endswith(f"::{name}")],
        [test for test in known if name in test],
    ):
        if len(set(fits)) == 1:
            return fits[0]
        if fits:
            return Refused(f"{len(set(fits))} tests of the last result match; name one of them in full")
    return Refused("no test of the last result is called so")


def _rerun(rest: str) -> Rerun | Refused:
    test: str | None = None
    trials: int | None = None
    sha: str | None = None
    while rest:
        word, rest = _word(rest)
        if word in ("-n", "--sha"):
            value, rest = _word(rest)
            if word == "--sha" and re.fullmatch(r"[0-9a-f]{40}", value):
                sha = value
            elif word == "--sha":
                return Refused("`--sha` needs all 40 digits of the commit: fewer can be forged")
            elif re.fullmatch(r"[1-9][0-9]{0,3}", value) and int(value) <= MOST_TRIALS:
                trials = int(value)
            else:
                return Refused(f"`-n` needs a number from 1 to {MOST_TRIALS}")
        elif word.startswith(("-", "@")):
            return Refused("the name of a test starts with neither `-` nor `@`; the options are `-n` and `--sha`")
        elif test is None:
            test = word
        else:
            return Refused("`rerun` takes one test; put a name with spaces between backticks")
    return Rerun(test, trials, sha)


def _accept(rest: str) -> Accept | Refused:
    test, reason = _word(rest)
    if not test:
        return Refused("`accept` needs a test and a reason")
    if not reason:
        return Refused("`accept` needs a reason after the test: it is shown with your name")
    return Accept(test, reason)


def _word(text: str) -> tuple[str, str]:
    """The first word and the rest; backticks hold a word with spaces together."""
    quoted = re.match(r"`([^`]+)`(?:\s+|$)", text)
    if quoted:
        return quoted[1].strip(), text[quoted.end() :]
    word, _, rest = text.partition(" ")
    return word, rest.lstrip()
