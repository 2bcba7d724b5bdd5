"""What one test case element says, in any dialect of JUnit: the attempts at its test, and how each ended."""

from __future__ import annotations

import re

from triage_bot.adapters.junit.limits import MESSAGE_LIMIT
from triage_bot.adapters.junit.texts import DIED, CappedText, failure_of
from triage_bot.core.results import NOT_RUN, PASSED, PASSED_SO_FAR, SKIPPED, Attempt, Failure, Outcome

_SKIPPED_STATUS = {"disabled", "notrun", "skipped", "ignored", "pending", "todo"}
_SKIPPED_RESULT = {"skipped", "suppressed"}
_NOT_RUN_STATUS = {"untested"}
_BAD_WORDS = {
    Outcome.FAILED: ("failed", "fail", "failure", "broken", "interrupted"),
    Outcome.ERRORED: ("error", "errored"),
    Outcome.TIMED_OUT: ("timeout", "timedout", "timed out"),
    Outcome.CRASHED: ("crashed", "aborted"),
}
_BAD = {word: outcome for outcome, words in _BAD_WORDS.items() for word in words}
"""What a status or a result says of a test whose element holds nothing else that tells."""
_BEFORE = {"flakyFailure": Outcome.FAILED, "flakyError": Outcome.ERRORED, "rerun": Outcome.FAILED}
"""Elements for the attempts that were made before the one that gives the result."""
_AFTER = {"rerunFailure": Outcome.FAILED, "rerunError": Outcome.ERRORED}
"""Elements for the attempts that were made after a failure, and failed again."""
_FLAKY_PASS = "flaky failure"
"""Type of the failure that nextest writes for a test that passed in the end."""
OUTPUTS = {"system-out", "system-err"}
BAD = {"failure": Outcome.FAILED, "error": Outcome.ERRORED}
TOLD = {*BAD, "skipped", *_BEFORE, *_AFTER}
"""Children of a test case whose text is kept, beside its outputs."""
_DESCRIBED = {"message", "type"}
_MOST_CHILDREN, _MOST_PROPERTIES = 200, 100
_WORKER = re.compile(r"^\[(gw\d+)\] ", re.MULTILINE)


class Child:
    """An element inside a test case whose text is kept."""

    __slots__ = ("attributes", "tag", "text")

    def __init__(self, tag: str, attributes: dict[str, str]) -> None:
        self.tag = tag
        self.attributes = {name: value[:MESSAGE_LIMIT] for name, value in attributes.items() if name in _DESCRIBED}
        self.text = CappedText()


class Case:
    """A test case element that says more than its name."""

    __slots__ = ("children", "properties")

    def __init__(self) -> None:
        self.children: list[Child] = []
        self.properties: list[tuple[str, str]] = []

    def note(self, name: str, value: str) -> None:
        """A property that the test recorded."""
        if len(self.properties) < _MOST_PROPERTIES:
            self.properties.append((name[:MESSAGE_LIMIT], value[:MESSAGE_LIMIT]))

    @property
    def full(self) -> bool:
        """Whether it holds so much that no more is kept."""
        return len(self.children) >= _MOST_CHILDREN

    def attempts(self, attributes: dict[str, str]) -> tuple[Attempt, ...]:
        """The tries that this element tells of, in the order in which they were made."""
        main = self._main(attributes)
        if main.outcome is Outcome.SKIPPED:
            return (main,)
        before = self._retries(_BEFORE, attributes)
        if main is PASSED and before and all(child.tag == "rerun" for child in self.children if child.tag in _BEFORE):
            main = PASSED_SO_FAR
        if not main.outcome.bad:
            return (*before, main)
        if main.failure and main.failure.type == _FLAKY_PASS:
            return (*before, main, PASSED)
        return (*before, main, *self._retries(_AFTER, attributes))

    def _retries(self, outcomes: dict[str, Outcome], attributes: dict[str, str]) -> list[Attempt]:
        module = _module(attributes)
        return [
            self._attempt(
                outcomes[child.tag],
                failure_of(child.attributes, str(child.text), module=module),
                attributes,
                retry=True,
            )
            for child in self.children
            if child.tag in outcomes
        ]

    @property
    def bad(self) -> int:
        """How many failures and errors it tells, as some headers count them."""
        return sum(child.tag in BAD for child in self.children)

    @property
    def rerun(self) -> bool:
        """Whether it holds an element that only a failed test should hold."""
        return any(child.tag in _AFTER for child in self.children)

    def _main(self, attributes: dict[str, str]) -> Attempt:
        output = "\n".join(str(child.text) for child in self.children if child.tag in OUTPUTS)
        for tag, outcome in (("error", Outcome.ERRORED), ("failure", Outcome.FAILED)):
            for child in self.children:
                if child.tag == tag:
                    failure = failure_of(child.attributes, str(child.text), output, _module(attributes))
                    return self._attempt(outcome, failure, attributes)
        if any(child.tag == "skipped" for child in self.children):
            return SKIPPED
        return _by_status(attributes)

    def _attempt(self, outcome: Outcome, failure: Failure, attributes: dict[str, str], retry: bool = False) -> Attempt:
        crashed = DIED.search(failure.message)
        worker = crashed or _WORKER.search(failure.text)
        named = dict(self.properties).get("worker", "")
        return Attempt(
            Outcome.CRASHED if crashed else outcome,
            failure,
            tuple(self.properties),
            attributes.get("file", ""),
            (worker and worker[1]) or named,
            retry,
        )


def _module(attributes: dict[str, str]) -> str:
    """What tells of the test's module; a module that did not import is told as a test by its name."""
    told = attributes.get("classname") or attributes.get("file") or attributes.get("name", "")
    return told[:MESSAGE_LIMIT]


def _by_status(attributes: dict[str, str]) -> Attempt:
    status, result = (attributes.get(name, "").strip().lower() for name in ("status", "result"))
    if status in _SKIPPED_STATUS or result in _SKIPPED_RESULT:
        return SKIPPED
    for name, said in (("status", status), ("result", result)):
        if said in _BAD:
            return Attempt(_BAD[said], Failure("", f"{name} {said}, without a word why"))
    return NOT_RUN if status in _NOT_RUN_STATUS else PASSED
