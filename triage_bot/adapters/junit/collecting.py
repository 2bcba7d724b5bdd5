"""The events of an XML parser, put together to suites of tests.

Knows where the elements of all JUnit dialects may stand, nothing of bytes. The path of a passed test is short, because
a report may hold a million of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from triage_bot.adapters.junit.cases import BAD, OUTPUTS, TOLD, Case, Child
from triage_bot.adapters.junit.limits import DEEPEST, LONGEST_NAME, refused
from triage_bot.adapters.junit.texts import DetailBudget, failure_of, short
from triage_bot.core.results import NOT_RUN, PASSED, SKIPPED, Attempt, Outcome
from triage_bot.core.suites import ONCE_PASSED, ONCE_SKIPPED, Attempts, Claims, SuiteTests

_SUITES = {"testsuite", "testsuites"}
_PYTEST_HEADER = ["name", "errors", "failures", "skipped", "tests", "time", "timestamp", "hostname"]
"""What pytest writes of every suite, whatever it is called, in its order: others write the same in another one."""


class Collector:
    """Receives the start, end and text of elements; holds the suites that they make, in the order of their starts."""

    def __init__(self) -> None:
        self.root = ""
        """Tag of the outermost element."""
        self.known = False
        """Whether any element of JUnit was seen."""
        self.unexplained_reruns = 0
        """Passed tests that hold a retry element which only a failed test should hold."""
        self.doctype = False
        """Set by the parser's owner: the document declares a type."""
        self.details = DetailBudget()
        self.cases = 0
        """Test case elements that have begun."""
        self.others = 0
        """Other elements that have begun."""
        self.named = 0
        """Characters of all names that are kept."""
        self._hear: Callable[[Callable[[str], None] | None], None] = _deaf
        self._suite = SuiteTests("")
        self._suite_depth = 0
        self._open: list[tuple[SuiteTests, int]] = []
        self._begun = [self._suite]
        self._depth = 0
        """Open elements, those of test cases not counted."""
        self._attributes: dict[str, str] | None = None
        self._case: Case | None = None
        self._case_depth = 0
        self._outer: list[tuple[dict[str, str], Case | None, int]] = []
        self._child: Child | None = None
        self._child_depth = 0
        self._muted_depth = 0

    @property
    def suites(self) -> list[SuiteTests]:
        """Those that hold or claim anything."""
        return [suite for suite in self._begun if len(suite) or suite.claims.any]

    def hear_through(self, hear: Callable[[Callable[[str], None] | None], None]) -> None:
        """How to ask for text, and to stop asking (None): parsing is quicker while nobody listens."""
        self._hear = hear

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        if ":" in tag:
            tag = tag.rpartition(":")[2]
        if tag == "testcase" and self._child is None:
            if self._attributes is not None or not self.known:
                self._start_odd_case()
            self.cases += 1
            self._attributes = attributes
            self._case_depth = self._depth
        else:
            self.others += 1
            self._depth += 1
            self._start_other(tag, attributes)

    def end(self, tag: str) -> None:
        """An element ends."""
        if ":" in tag:
            tag = tag.rpartition(":")[2]
        if tag != "testcase" or self._child is not None:
            self._end_other()
            self._depth -= 1
            return
        attributes = self._attributes or {}
        self._attributes = None
        name = attributes.get("name")
        if self._case is None and name and "status" not in attributes and "result" not in attributes:
            self.named += len(name)
            if len(name) > LONGEST_NAME:
                name = short(name)
            self._suite.add_passed(attributes.get("classname", ""), name)
        else:
            self._end_telling_case(attributes)
        if self._outer:
            self._leave_case()

    @property
    def events(self) -> int:
        """Grows with every start of an element."""
        return self.cases + self.others

    @property
    def suites_begun(self) -> int:
        """Suite elements that have begun."""
        return len(self._begun)

    @property
    def outside(self) -> bool:
        """Whether no element of JUnit is open."""
        return not self._open and self._attributes is None

    def cut(self) -> None:
        """The document stops here: keep what is certain of what is open."""
        self._suite.cut(within_named=bool(self._attributes and self._attributes.get("name")))
        while self._attributes is not None:
            told = self._case.attempts(self._attributes) if self._case else ()
            certain = any(attempt.outcome.bad and not attempt.retry for attempt in told)
            self._suite.bad += certain
            self._add(self._attributes, told if certain else (NOT_RUN,))
            self._leave_case()
        while self._open:
            self._end_suite()

    def _start_other(self, tag: str, attributes: dict[str, str]) -> None:
        self.root = self.root or tag
        if self._depth > DEEPEST:
            raise refused(f"elements are nested more than {DEEPEST} deep")
        if self._child is not None:
            if tag in OUTPUTS and not self._muted_depth:
                self._muted_depth = self._depth
                self._hear(None)
        elif tag in _SUITES:
            self._start_suite(attributes)
        elif self._attributes is not None:
            self._start_in_case(tag, attributes)
        elif tag in BAD and self._open and self._depth == self._suite_depth + 1:
            self._listen(tag, attributes)

    def _start_suite(self, attributes: dict[str, str]) -> None:
        self._recognize()
        self._open.append((self._suite, self._suite_depth))
        self._suite, self._suite_depth = SuiteTests(short(attributes.get("name", "")), _claims(attributes)), self._depth
        self._begun.append(self._suite)

    def _start_in_case(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "property":
            self._case = self._case or Case()
            self._case.note(attributes.get("name", ""), attributes.get("value", ""))
        elif self._depth == self._case_depth + 1 and (tag in TOLD or tag in OUTPUTS):
            self._case = self._case or Case()
            if not self._case.full:
                self._case.children.append(self._listen(tag, attributes))

    def _listen(self, tag: str, attributes: dict[str, str]) -> Child:
        self._child, self._child_depth = Child(tag, attributes), self._depth
        self._hear(self._child.text.add)
        return self._child

    def _end_other(self) -> None:
        if self._child is not None:
            if self._depth == self._muted_depth:
                self._muted_depth = 0
                self._hear(self._child.text.add)
            elif self._depth == self._child_depth:
                self._end_child(self._child)
        elif self._depth == self._suite_depth:
            self._end_suite()

    def _end_child(self, child: Child) -> None:
        self._hear(None)
        self._child = None
        if self._attributes is None:
            failure = failure_of(child.attributes, str(child.text))
            self._suite.add_own(*self.details.apply((Attempt(BAD[child.tag], failure),)))
            self._suite.bad += 1

    def _end_suite(self) -> None:
        ended = self._suite
        self._suite, self._suite_depth = self._open.pop()
        self._suite.absorb(ended)

    def _start_odd_case(self) -> None:
        self._recognize()
        if len(self._outer) > DEEPEST:
            raise refused(f"elements are nested more than {DEEPEST} deep")
        if self._attributes is not None:
            self._outer.append((self._attributes, self._case, self._case_depth))
            self._case = None

    def _recognize(self) -> None:
        self.known = True
        self.root = self.root or "testcase"
        if self.doctype:
            raise refused("it declares a document type, which reports do not need and attacks do")

    def _end_telling_case(self, attributes: dict[str, str]) -> None:
        case, self._case = self._case or Case(), None
        attempts = self.details.apply(case.attempts(attributes))
        self.unexplained_reruns += len(attempts) == 1 and attempts[0] is PASSED and case.rerun
        last = attempts[-1].outcome
        self._suite.bad += max(last.bad, case.bad)
        self._suite.skipped += last is Outcome.SKIPPED
        if "name" not in attributes and attempts == (PASSED,):
            attempts = (NOT_RUN,)
        self._add(attributes, _shared(attempts))

    def _add(self, attributes: dict[str, str], attempts: Attempts) -> None:
        classname, name = short(attributes.get("classname", "")), short(attributes.get("name", ""))
        self.named += len(classname) + len(name)
        if classname or name:
            self._suite.add(classname, name, attempts)
        else:
            self._suite.add_nameless(attempts, counted="name" in attributes)

    def _leave_case(self) -> None:
        self._attributes, self._case, self._case_depth = self._outer.pop() if self._outer else (None, None, 0)


def _shared(attempts: tuple[Attempt, ...]) -> Attempts:
    """The one object for all tests to which this happened, where there is one."""
    if len(attempts) == 1 and attempts[0] is SKIPPED:
        return ONCE_SKIPPED
    return ONCE_PASSED if len(attempts) == 1 and attempts[0] is PASSED else attempts


def _deaf(_: object) -> None:
    return None


def _claims(attributes: Mapping[str, str]) -> Claims:
    skipped = (_number(attributes.get(name)) for name in ("skipped", "skips", "skip", "ignored"))
    failures, errors = _number(attributes.get("failures")), _number(attributes.get("errors"))
    bad = None if failures is None and errors is None else (failures or 0) + (errors or 0)
    first_skipped = next((count for count in skipped if count is not None), None)
    by_pytest = attributes.get("name") == "pytest" or [*attributes][: len(_PYTEST_HEADER)] == _PYTEST_HEADER
    return Claims(_number(attributes.get("tests")), bad, first_skipped, by_pytest)


def _number(told: str | None) -> int | None:
    told = (told or "").strip()
    return int(told) if told.isascii() and told.isdigit() and len(told) < 12 else None
