"""The tests of one suite of a report, kept as small as they can be: a report may hold a million that passed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from triage_bot.core.results import PASSED, RETRIED, Attempt, TestId, TestResult

_ONCE_PASSED = (PASSED,)


@dataclass(frozen=True)
class Claims:
    """The counts in a suite's header; None where it gives none."""

    tests: int | None = None
    bad: int | None = None
    """Failures and errors."""
    skipped: int | None = None


class _Class(dict[str, tuple[Attempt, ...]]):
    """Name to attempts of the tests of one class name, in order; all that passed once share one value."""

    __slots__ = ("classname",)

    def __init__(self, classname: str) -> None:
        super().__init__()
        self.classname = classname


class SuiteTests:
    """The tests of one suite element, filled in the order of the report, read when it has ended.

    A passed test costs its name, as a key, and one reference for its place in the order. Attempts at one test need
    not stand together.
    """

    def __init__(self, name: str, claims: Claims | None = None) -> None:
        self.name = name
        self.claims = claims or Claims()
        self.elements = 0
        """Test case elements that name a test; those of nested suites excluded."""
        self.within = 0
        """Test case elements that name a test, of nested suites."""
        self.bad = 0
        """Elements that say failure or error, nested suites included."""
        self.skipped = 0
        """Elements that say skipped, nested suites included."""
        self._classes: dict[str, _Class] = {}
        self._order: list[_Class] = []
        self._own: _Class | None = None

    def add_passed(self, classname: str, name: str) -> None:
        """A test case element that says nothing but its name."""
        self.elements += 1
        tests = self._classes.get(classname)
        if tests is None:
            tests = self._classes[classname] = _Class(classname)
        if name in tests:
            tests[name] += _ONCE_PASSED
        else:
            tests[name] = _ONCE_PASSED
            self._order.append(tests)

    def add(self, classname: str, name: str, attempts: tuple[Attempt, ...]) -> None:
        """A test case element of any other kind."""
        self.elements += 1
        self._put(self._classes.setdefault(classname, _Class(classname)), name, attempts)

    def add_nameless(self, attempts: tuple[Attempt, ...]) -> None:
        """A test case element that names no test. Two of them are two tests."""
        self._put(_Class(""), "", attempts)

    def add_own(self, attempt: Attempt) -> None:
        """An error of the suite itself, outside all its tests. Several are one test."""
        self._own = self._own if self._own is not None else _Class("")
        self._put(self._own, f"{self.name} (suite)".lstrip(), (attempt,))

    def absorb(self, nested: SuiteTests) -> None:
        """Count what a nested suite holds, once that has ended."""
        self.within += nested.elements + nested.within
        self.bad += nested.bad
        self.skipped += nested.skipped

    def __len__(self) -> int:
        return len(self._order)

    def ids(self) -> Iterator[TestId]:
        """Every test once, in the order of first attempts."""
        for tests, name, _ in self._in_order():
            yield TestId(tests.classname, name, self.name)

    def remarkable(self, start: int = 0) -> Iterator[TestResult]:
        """The tests that did not simply pass; positions count from ``start``."""
        for position, (tests, name, attempts) in enumerate(self._in_order(), start):
            if attempts is not _ONCE_PASSED:
                told = _unmasked(attempts) if self.retries_left_empty else attempts
                yield TestResult(TestId(tests.classname, name, self.name), told, position)

    @property
    def retries_left_empty(self) -> bool:
        """Whether an empty element that is followed by another of the same test is a failed attempt.

        Some rerun plugins write one for each attempt that they retried. The sign: the header counts fewer tests than
        there are elements, and counting every test once explains it. A header that is wrong otherwise is no sign.
        """
        return self.claims.tests is not None and len(self._order) <= self.claims.tests < self.elements

    def _put(self, tests: _Class, name: str, attempts: tuple[Attempt, ...]) -> None:
        if name in tests:
            tests[name] += attempts
        else:
            tests[name] = attempts
            self._order.append(tests)

    def _in_order(self) -> Iterator[tuple[_Class, str, tuple[Attempt, ...]]]:
        items: dict[int, Iterator[tuple[str, tuple[Attempt, ...]]]] = {}
        for tests in self._order:
            upcoming = items.get(id(tests))
            if upcoming is None:
                upcoming = items[id(tests)] = iter(tests.items())
            name, attempts = next(upcoming)
            yield tests, name, attempts


def _unmasked(attempts: tuple[Attempt, ...]) -> tuple[Attempt, ...]:
    return tuple(RETRIED if attempt is PASSED else attempt for attempt in attempts[:-1]) + attempts[-1:]
