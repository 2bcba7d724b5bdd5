"""The tests of one suite of a report, kept as small as they can be: a report may hold a million that passed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from triage_bot.core.results import PASSED, RETRIED, Attempt, TestId, TestResult

_ONCE_PASSED = (PASSED,)


@dataclass(frozen=True)
class Claims:
    """The counts in a suite's header; None where it gives none."""

    tests: int | None = None
    bad: int | None = None
    """Failures and errors."""
    skipped: int | None = None
    by_pytest: bool = False
    """Whether pytest may have written it, as far as its form tells."""


class _Class(dict[str, tuple[Attempt, ...]]):
    """Name to attempts of the tests of one class name, in order; all that passed once share one value."""

    __slots__ = ("classname",)

    def __init__(self, classname: str) -> None:
        super().__init__()
        self.classname = classname


class SuiteTests:
    """The tests of one suite element, filled in the order of the report, read when it has ended.

    A passed test costs its name, as a key: the order of tests is kept as runs of tests of one class. Attempts at one
    test need not stand together.
    """

    def __init__(self, name: str, claims: Claims | None = None) -> None:
        self.name = name
        self.claims = claims or Claims()
        self.within = 0
        """Test case elements that name a test, of nested suites."""
        self.bad = 0
        """Elements that say failure or error, nested suites included."""
        self.skipped = 0
        """Elements that say skipped, nested suites included."""
        self._classes: dict[str, _Class] = {}
        self._runs: list[_Class] = []
        self._lengths: list[int] = []
        self._latest = _Class("")
        self._own: _Class | None = None
        self._repeated = 0
        self._uncounted = 0

    def add_passed(self, classname: str, name: str) -> None:
        """A test case element that says nothing but its name."""
        tests = self._latest
        if tests.classname != classname or name in tests or not tests:
            self.add(classname, name, _ONCE_PASSED)
        else:
            tests[name] = _ONCE_PASSED
            self._lengths[-1] += 1

    def add(self, classname: str, name: str, attempts: tuple[Attempt, ...]) -> None:
        """A test case element of any other kind."""
        tests = self._classes.get(classname)
        if tests is None:
            tests = self._classes[classname] = _Class(classname)
        self._put(tests, name, attempts)

    def add_nameless(self, attempts: tuple[Attempt, ...], counted: bool) -> None:
        """A test case element that names no test; two are two tests. Headers count it if it says an empty name."""
        self._uncounted += not counted
        self._put(_Class(""), "", attempts)

    def add_own(self, attempt: Attempt) -> None:
        """An error of the suite itself, outside all its tests. Several are one test."""
        self._own = self._own if self._own is not None else _Class("")
        self._uncounted += not self._own
        self._repeated -= bool(self._own)
        self._put(self._own, f"{self.name} (suite)".lstrip(), (attempt,))

    def absorb(self, nested: SuiteTests) -> None:
        """Count what a nested suite holds, once that has ended."""
        self.within += nested.elements + nested.within
        self.bad += nested.bad
        self.skipped += nested.skipped

    @property
    def elements(self) -> int:
        """Test case elements that a header should count; those of nested suites excluded."""
        return len(self) + self._repeated - self._uncounted

    def __len__(self) -> int:
        return sum(self._lengths)

    def ids(self) -> Iterator[TestId]:
        """Every test once, in the order of first attempts."""
        for tests, items in self._in_order():
            for name, _ in items:
                yield TestId(tests.classname, name, self.name)

    def remarkable(self, start: int = 0) -> Iterator[TestResult]:
        """The tests that did not simply pass; positions count from ``start``."""
        position = start
        for tests, items in self._in_order():
            for name, attempts in items:
                if attempts is not _ONCE_PASSED:
                    told = _unmasked(attempts) if self.retries_left_empty else attempts
                    yield TestResult(TestId(tests.classname, name, self.name), told, position)
                position += 1

    @property
    def retries_left_empty(self) -> bool:
        """Whether an empty element that is followed by another of the same test is a failed attempt.

        Some rerun plugins of pytest write one for each attempt that they retried. The sign: the header counts fewer
        tests than there are elements, and counting every test once explains it. A header that is wrong otherwise is no
        sign.
        """
        claimed = self.claims.tests
        return self.claims.by_pytest and claimed is not None and len(self) <= claimed < self.elements

    def _put(self, tests: _Class, name: str, attempts: tuple[Attempt, ...]) -> None:
        if name in tests:
            tests[name] += attempts
            self._repeated += 1
            return
        tests[name] = attempts
        if tests is self._latest:
            self._lengths[-1] += 1
        else:
            self._latest = tests
            self._runs.append(tests)
            self._lengths.append(1)

    def _in_order(self) -> Iterator[tuple[_Class, Iterator[tuple[str, tuple[Attempt, ...]]]]]:
        upcoming = {id(tests): iter(tests.items()) for tests in self._runs}
        for tests, length in zip(self._runs, self._lengths, strict=True):
            yield tests, islice(upcoming[id(tests)], length)


def _unmasked(attempts: tuple[Attempt, ...]) -> tuple[Attempt, ...]:
    return tuple(RETRIED if attempt is PASSED else attempt for attempt in attempts[:-1]) + attempts[-1:]
