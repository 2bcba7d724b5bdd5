"""Runs one trial inside a pytest session that has collected the suite, and writes down what it showed."""

from __future__ import annotations

import inspect
import json
import os
import platform
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from types import CodeType
from typing import NoReturn

import pytest

from triage_bot.core.arms import Isolation
from triage_bot.core.findings import Environment
from triage_bot.core.results import Failure, Outcome
from triage_bot.core.trials import Coverage, Observation, Site
from triage_bot.lab.lines import watching
from triage_bot.lab.names import StreamNames
from triage_bot.lab.patching import apply
from triage_bot.lab.places import Places
from triage_bot.lab.probes import Probes
from triage_bot.lab.records import Answer, Order, encode_observation
from triage_bot.lab.runtime import StreamRuntime
from triage_bot.lab.suite import SuiteFiles, function_codes
from triage_bot.lab.torch_runtime import EAGER_ENVIRONMENT

MESSAGE_CAP = 4_000
"""Characters kept of a failure's message, and of its traceback."""


class TrialRecorder:
    """A pytest plugin that lives for one trial: it tells the probes where the phases are and keeps the reports."""

    def __init__(self, probes: Probes | None, suite: SuiteFiles) -> None:
        self._probes = probes
        self._suite = suite
        self.reports: list[pytest.TestReport] = []
        self.failures: list[Failure] = []

    @contextmanager
    def _phase(self, name: str, item: pytest.Item, *, unconditionally: bool) -> Iterator[None]:
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
        self.reports.append(report)
        if report.failed:
            self.failures.append(self._failure(call.excinfo, report))
        return report

    def _failure(self, excinfo: pytest.ExceptionInfo[BaseException] | None, report: pytest.TestReport) -> Failure:
        if excinfo is None:  # a strict xfail that passed
            return Failure("", report.longreprtext[:MESSAGE_CAP], when=report.when or "call")
        if isinstance(excinfo.value, pytest.FixtureLookupError):
            return Failure("", f"fixture {excinfo.value.argname!r} not found", when="setup")
        # Frames that hide themselves are in no report: a failure whose place only we know would never be known again.
        shown = excinfo.traceback.filter(excinfo) or excinfo.traceback
        frames = [(str(entry.path), entry.lineno + 1) for entry in shown]
        own = [frame for frame in frames if frame[0] in self._suite]
        file, line = (own or frames or [("", 0)])[-1]
        return Failure(
            type=excinfo.type.__name__,
            message=str(excinfo.value)[:MESSAGE_CAP],
            file=self._suite.relative(file),
            line=line,
            when=report.when or "call",
            text=report.longreprtext[-MESSAGE_CAP:],
        )

    def outcome(self) -> Outcome:
        """Of the last test that ran: its call decides, then setup and teardown."""
        failed = {report.when for report in self.reports if report.failed}
        if "call" in failed:
            return Outcome.FAILED
        if failed:
            return Outcome.ERRORED
        return Outcome.SKIPPED if any(report.skipped for report in self.reports) else Outcome.PASSED

    def properties(self) -> tuple[tuple[str, str], ...]:
        """What the test recorded for JUnit."""
        recorded = self.reports[-1].user_properties if self.reports else []
        return tuple((str(name), str(value)) for name, value in recorded)


def suite_files(session: pytest.Session) -> SuiteFiles:
    """The suite that ``session`` collected."""
    return SuiteFiles(session.config.rootpath, {item.path for item in session.items})


def run(session: pytest.Session, order: Order) -> NoReturn:
    """Run the ordered trial, write the answer to the file that the order names, and end this process at once.

    The process ends without interpreter shutdown: exit handlers of a broken CUDA context can hang or abort, and what
    they would say belongs to no test.
    """
    if order.arm.eager:
        os.environ.update(EAGER_ENVIRONMENT)
    items = {item.nodeid: item for item in session.items}
    item = items[order.node_id]
    if order.patch is not None:
        apply(order.patch)
    answer = _observe(session, order, item, [items[node_id] for node_id in order.before if node_id in items])
    record = {"observation": encode_observation(answer.observation), "environment": asdict(answer.environment)}
    Path(order.answer).write_text(json.dumps(record) + "\n", encoding="utf-8")
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _observe(session: pytest.Session, order: Order, item: pytest.Item, before: Sequence[pytest.Item]) -> Answer:
    suite = suite_files(session)
    runtime: StreamRuntime | None = session.config.hook.pytest_triage_stream_runtime(config=session.config)
    probes = None
    codes = _watched(item, session, deep=order.arm.isolation is Isolation.DRAINED_DEEP)
    if runtime is not None:
        places = Places(codes, suite, deep=order.arm.isolation is Isolation.DRAINED_DEEP)
        probes = Probes(order.arm, runtime, StreamNames(runtime, suite), places)
        runtime.begin(probes, ordinal=order.ordinal, launches=probes.needs_launches)
    recorder = TrialRecorder(probes, suite)
    session.config.pluginmanager.register(recorder, "triage-trial")
    queue = [*before, item]
    for current, following in zip(queue, [*queue[1:], None], strict=True):
        # What ran before the test is context: neither its reports nor its failures are the test's.
        recorder.reports.clear()
        recorder.failures.clear()
        if probes is not None and probes.needs_lines:
            with watching(codes, probes):
                session.config.hook.pytest_runtest_protocol(item=current, nextitem=following)
        else:
            session.config.hook.pytest_runtest_protocol(item=current, nextitem=following)
    outcome = recorder.outcome()
    observation = Observation(
        outcome=outcome,
        failure=recorder.failures[0] if outcome.bad and recorder.failures else None,
        seconds=0.0,
        streams=probes.uses() if probes else (),
        boundaries=tuple(probes.boundaries) if probes else (),
        coverage=Coverage(tuple(runtime.gaps()) if runtime else ("no-stream-runtime",)),
        properties=recorder.properties(),
        marked_stream=item.get_closest_marker("stream") is not None,
        loads_lazily=runtime is not None and runtime.loads_lazily,
        asked_in_vain=probes is not None and probes.asked_in_vain,
    )
    return Answer(observation, _environment(runtime))


def _watched(item: pytest.Item, session: pytest.Session, *, deep: bool) -> list[CodeType]:
    function = getattr(item, "function", None)
    codes = [inspect.unwrap(function).__code__] if function is not None else []
    if deep:
        suite = suite_files(session)
        for module in list(sys.modules.values()):
            if (file := getattr(module, "__file__", None)) is not None and file in suite:
                codes.extend(function_codes(module))
    return codes


def _environment(runtime: StreamRuntime | None) -> Environment:
    told = runtime.environment() if runtime else {}
    return Environment(
        runtime=runtime.name if runtime else "",
        device=told.get("device", ""),
        driver=told.get("driver", ""),
        torch=told.get("torch", ""),
        python=platform.python_version(),
    )
