"""The tests of one suite of a report, kept as small as they can be: a report may hold a million that passed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from triage_bot.core.results import NOT_RUN, PASSED, PASSED_SO_FAR, RETRIED, SKIPPED, Attempt, TestId, TestResult

Attempts = Sequence[Attempt]

ONCE_PASSED: Attempts = (PASSED,)
"""What is kept of every test that passed at its only attempt: one object for all."""
ONCE_SKIPPED: Attempts = (SKIPPED,)
"""The same for tests that were skipped."""


@dataclass(frozen=True)
class Claims:
    """The counts in a suite's header; None where it gives none."""

    tests: int | None = None
    bad: int | None = None
    """Failures and errors."""
    skipped: int | None = None
    by_pytest: bool = False
    """Whether pytest may have written it, as far as its form tells."""

    @property
    def any(self) -> bool:
        """Whether it claims to hold something, or tells that it holds nothing."""
        return self.tests is not None or bool(self.bad) or bool(self.skipped)


class SuiteTests:
    """The tests of one suite element, filled in the order of the report, read when it has ended.

    A passed test costs its name: names are the keys of one dictionary a class, and the order is kept as runs of tests
    of one class. A class of which only one test is known costs no dictionary. Attempts at one test need not stand
    together.
    """

    __slots__ = (
        "_classes",
        "_cut",
        "_latest",
        "_latest_repeat",
        "_lengths",
        "_open",
        "_own",
        "_repeated",
        "_runs",
        "_uncounted",
        "bad",
        "claims",
        "name",
        "reruns",
        "skipped",
        "skipped_once",
        "within",
    )

    def __init__(self, name: str, claims: Claims | None = None) -> None:
        self.name = name
        self.claims = claims or Claims()
        self.within = 0
        """Test case elements that name a test, of nested suites."""
        self.bad = 0
        """Failures and errors that elements say, nested suites included."""
        self.skipped = 0
        """Elements that say skipped, nested suites included."""
        self._classes: dict[str, str | dict[str, Attempts]] = {}
        self._runs: list[str | dict[str, Attempts]] = []
        """Class names, or tables that stand for themselves."""
        self._lengths: list[int] = []
        self._latest: str | None = None
        self._open: dict[str, Attempts] = {}
        """The table of the latest class, while that has one."""
        self._own: dict[str, Attempts] = {}
        self._latest_repeat: tuple[dict[str, Attempts], str, tuple[int, int]] | None = None
        """The table and name of its test, and what was known then."""
        self.skipped_once = 0
        """Tests whose only attempt was skipped."""
        self.reruns = 0
        """Elements that tell of a rerun, and of which another of the same test gives the result: pytest counts none."""
        self._repeated = 0
        self._uncounted = 0
        self._cut = False

    def add_passed(self, classname: str, name: str) -> None:
        """A test case element that says nothing but its name."""
        if classname == self._latest and self._open and name not in self._open:
            self._open[name] = ONCE_PASSED
            self._lengths[-1] += 1
        elif classname in self._classes:
            self.add(classname, name, ONCE_PASSED)
        else:
            self._classes[classname] = name
            self._begin(classname, {})

    def add(self, classname: str, name: str, attempts: Attempts) -> None:
        """A test case element of any kind; ``ONCE_PASSED`` and ``ONCE_SKIPPED`` cost least."""
        tests = self._classes.get(classname)
        if not isinstance(tests, dict):
            tests = self._classes[classname] = {} if tests is None else {tests: ONCE_PASSED}
        if name in tests:
            self._repeat(tests, name, attempts)
            return
        tests[name] = attempts
        self.skipped_once += attempts is ONCE_SKIPPED
        if classname == self._latest:
            self._open = tests
            self._lengths[-1] += 1
        else:
            self._begin(classname, tests)

    def add_nameless(self, attempts: Attempts, counted: bool) -> None:
        """A test case element that names no test; two are two tests. Headers count it if it says an empty name."""
        self._uncounted += not counted
        self.skipped_once += attempts is ONCE_SKIPPED
        self._begin({"": attempts}, {})

    def add_own(self, attempt: Attempt) -> None:
        """An error of the suite itself, outside all its tests. Several are one test."""
        name = f"{self.name} (suite)".lstrip()
        if self._own:
            self._repeat(self._own, name, (attempt,))
            self._repeated -= 1
        else:
            self._own = {name: (attempt,)}
            self._uncounted += 1
            self._begin(self._own, {})

    def absorb(self, nested: SuiteTests) -> None:
        """Count what a nested suite holds, once that has ended."""
        self.within += nested.elements + nested.within
        self.bad += nested.bad
        self.skipped += nested.skipped

    def cut(self, within_named: bool) -> None:
        """The report stops here, perhaps within a test case element that has a name.

        Under pytest an attempt that will be made again looks passed: the last one may be that.
        """
        self._cut = True
        if not self.claims.by_pytest or not self._runs or within_named:
            return
        if self._latest_repeat is not None and self._latest_repeat[2] == self._known:
            tests, name, _ = self._latest_repeat
        else:
            named = (run for run in reversed(self._runs) if isinstance(run, str) or "" not in run)
            tests = self._table(next(named, self._runs[-1]))
            name = next(reversed(tests))
        if all(attempt is PASSED for attempt in tests[name]):
            tests[name] = [*tests[name], NOT_RUN]

    @property
    def elements(self) -> int:
        """Test case elements that a header should count; those of nested suites excluded."""
        return len(self) + self._repeated - self._uncounted

    def __len__(self) -> int:
        return sum(self._lengths)

    def __iter__(self) -> Iterator[tuple[TestId, Attempts]]:
        """Every test once, in the order of first attempts."""
        for classname, items in self._in_order():
            for name, attempts in items:
                yield TestId(classname, name, self.name), attempts

    def remarkable(self, start: int = 0) -> Iterator[TestResult]:
        """The tests that did more than pass once or be skipped once; positions count from ``start``."""
        position, retried = start, self.retries_left_empty
        for classname, items in self._in_order():
            for name, attempts in items:
                if attempts is not ONCE_PASSED and attempts is not ONCE_SKIPPED:
                    told = _unmasked(attempts) if retried or self._ended_badly(attempts) else tuple(attempts)
                    yield TestResult(TestId(classname, name, self.name), told, position)
                position += 1

    @property
    def retries_left_empty(self) -> bool:
        """Whether an empty element that is followed by another of the same test is a failed attempt.

        Some rerun plugins of pytest write one for each attempt that they retried. The sign: the header does not count
        the elements that there are. It counts fewer, as retried attempts are in no count of pytest's; or more, as it
        counts every subtest, too, and every attempt whose teardown failed. A header that counts fewer than there are
        tests is wrong for another reason, and no sign; that of a report which was cut tells nothing.
        """
        claimed, tests = self.claims.tests, len(self) - self._uncounted
        odd = claimed is not None and tests <= claimed not in (self.elements, self.elements - self.reruns)
        return self.claims.by_pytest and (odd or self._cut)

    def _ended_badly(self, attempts: Attempts) -> bool:
        """Whether these end in a failure under pytest: nothing there makes another attempt at what has passed."""
        last = attempts[-1]
        return self.claims.by_pytest and last.outcome.bad and not last.retry

    def _begin(self, run: str | dict[str, Attempts], table: dict[str, Attempts]) -> None:
        self._latest = run if isinstance(run, str) else None
        self._open = table
        self._runs.append(run)
        self._lengths.append(1)

    @property
    def _known(self) -> tuple[int, int]:
        """How many runs there are, and tests in the latest: changes with every new test."""
        return len(self._runs), self._lengths[-1]

    def _table(self, run: str | dict[str, Attempts]) -> dict[str, Attempts]:
        """The tests of a run's class, for one that is known by its only test, too."""
        if isinstance(run, dict):
            return run
        tests = self._classes[run]
        if isinstance(tests, str):
            tests = self._classes[run] = {tests: ONCE_PASSED}
        return tests

    def _repeat(self, tests: dict[str, Attempts], name: str, attempts: Attempts) -> None:
        self._repeated += 1
        self._latest_repeat = tests, name, self._known
        known = tests[name]
        self.skipped_once -= known is ONCE_SKIPPED
        if not isinstance(known, list):
            known = tests[name] = [*known]
        if known[-1] is PASSED_SO_FAR:
            self.reruns += 1
            known.pop()
        known.extend(attempts)

    def _in_order(self) -> Iterator[tuple[str, Iterable[tuple[str, Attempts]]]]:
        upcoming: dict[str, Iterator[tuple[str, Attempts]]] = {}
        for run, length in zip(self._runs, self._lengths, strict=True):
            if isinstance(run, dict):
                yield "", run.items()
                continue
            tests = self._classes[run]
            if isinstance(tests, str):
                yield run, ((tests, ONCE_PASSED),)
            elif len(tests) == length:
                yield run, tests.items()
            else:
                yield run, islice(upcoming.setdefault(run, iter(tests.items())), length)


def _unmasked(attempts: Attempts) -> tuple[Attempt, ...]:
    return (*(RETRIED if attempt is PASSED else attempt for attempt in attempts[:-1]), attempts[-1])
