"""Keeps what pytest reports of the one test that a trial is about, and tells the probes where its phases are."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager

import pytest

from triage_bot.core.results import Failure, Outcome
from triage_bot.core.trials import Site
from triage_bot.lab.probes import Probes
from triage_bot.lab.suite import SuiteFiles

MESSAGE_CAP = 4_000
"""Characters kept of a failure's message, and of its traceback."""


class TrialRecorder:
    """A pytest plugin that lives for one trial."""

    def __init__(self, probes: Probes | None, suite: SuiteFiles) -> None:
        self._probes = probes
        self._suite = suite
        self._phase_now = "setup"
        self._reports: list[pytest.TestReport] = []
        self._failures: list[Failure] = []

    def forget(self) -> None:
        """What ran before the test is context: neither its reports nor its failures are the test's."""
        self._reports.clear()
        self._failures.clear()

    @contextmanager
    def _phase(self, name: str, item: pytest.Item, *, unconditionally: bool) -> Iterator[None]:
        self._phase_now = name
        if self._probes is None:
            yield
            return
        file, line, _ = item.reportinfo()
        self._probes.begin_phase(name, Site(self._suite.relative(os.fspath(file)), (line or 0) + 1, item.name))
        try:
            yield
        finally:
            self._probes.end_phase(unconditionally=unconditionally)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, object, object]:
        """Setup is a phase that ends as a statement does."""
        with self._phase("setup", item, unconditionally=False):
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Nothing passes from the call to the teardown."""
        with self._phase("call", item, unconditionally=True):
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, object, object]:
        """Nothing passes from one test to the next."""
        with self._phase("teardown", item, unconditionally=True):
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Keep the report, and of a failure what makes another one alike."""
        report = yield
        self._reports.append(report)
        if report.failed:
            self._failures.append(self._failure(call.excinfo, report, item))
        return report

    def ended_by(self, error: BaseException) -> None:
        """Keep what left pytest itself and would have ended its whole run: ``pytest.exit``, an interrupt, a hook."""
        excinfo = pytest.ExceptionInfo.from_exception(error)
        file, line = self._place(excinfo)
        self._failures.append(Failure(excinfo.typename, _words(error)[:MESSAGE_CAP], file, line, when=self._phase_now))

    def _failure(
        self, excinfo: pytest.ExceptionInfo[BaseException] | None, report: pytest.TestReport, item: pytest.Item
    ) -> Failure:
        """A failure as reports tell it: one that pytest or a plugin words has no exception of the test's own."""
        when, text = report.when or "call", report.longreprtext
        if excinfo is not None and isinstance(excinfo.value, pytest.FixtureLookupError):
            return Failure("", f"fixture {excinfo.value.argname!r} not found", when="setup")
        if excinfo is None or not hasattr(report.longrepr, "reprcrash"):
            kind, file = excinfo.typename if excinfo else "", self._suite.relative(os.fspath(item.path))
            return Failure(kind, text[:MESSAGE_CAP], file, when=when, text=text[-MESSAGE_CAP:])
        file, line = self._place(excinfo)
        message = _words(excinfo.value)[:MESSAGE_CAP]
        return Failure(excinfo.typename, message, file, line, when, text[-MESSAGE_CAP:])

    def _place(self, excinfo: pytest.ExceptionInfo[BaseException]) -> tuple[str, int]:
        # Frames that hide themselves are in no report: a failure whose place only we know would never be known again.
        shown = excinfo.traceback.filter(excinfo) or excinfo.traceback
        frames = [(str(entry.path), entry.lineno + 1) for entry in shown]
        own = [frame for frame in frames if frame[0] in self._suite]
        file, line = (own or frames or [("", 0)])[-1]
        return self._suite.relative(file), line

    def outcome(self) -> Outcome:
        """Of the last test that ran: its call decides, then setup and teardown.

        Not run when no phase was reported: something else ran it, where nobody could look, or nothing did.
        """
        if not self._reports and not self._failures:
            return Outcome.NOT_RUN
        failed = {failure.when for failure in self._failures}
        if failed:
            return Outcome.FAILED if "call" in failed else Outcome.ERRORED
        # A phase may report parts of itself; what it comes to it reports last.
        phases = {report.when: report for report in self._reports}
        return Outcome.SKIPPED if any(report.skipped for report in phases.values()) else Outcome.PASSED

    def failure(self) -> Failure | None:
        """The first one; None when nothing failed."""
        return self._failures[0] if self._failures else None

    def reason(self) -> str:
        """Why the test was skipped; empty when it was not."""
        skipped = [report for report in self._reports if report.skipped]
        if not skipped or self.outcome() is not Outcome.SKIPPED:
            return ""
        if (expected := getattr(skipped[-1], "wasxfail", None)) is not None:
            return f"it failed, as it is marked to: {expected}"
        told = skipped[-1].longrepr
        return (told[2] if isinstance(told, tuple) else skipped[-1].longreprtext).removeprefix("Skipped: ")

    def properties(self) -> tuple[tuple[str, str], ...]:
        """What the test recorded for JUnit."""
        recorded = self._reports[-1].user_properties if self._reports else []
        return tuple((_words(name), _words(value)) for name, value in recorded)


def _words(value: object) -> str:
    """``str(value)``, also of what cannot be told in words."""
    try:
        return str(value)
    except BaseException as error:
        return f"<{type(value).__name__} whose text raises {type(error).__name__}>"
