"""Runs one trial inside a pytest session that has collected the suite, and writes down what it showed."""

from __future__ import annotations

import inspect
import os
import platform
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from os import _exit, getpid  # bound here, before a test can put something in their place
from pathlib import Path
from types import CodeType
from typing import NoReturn

import pytest

from triage_bot.core.arms import Isolation
from triage_bot.core.findings import Environment
from triage_bot.core.results import Outcome
from triage_bot.core.trials import Coverage, Observation
from triage_bot.lab import answers
from triage_bot.lab.lines import watching
from triage_bot.lab.names import StreamNames
from triage_bot.lab.patching import apply
from triage_bot.lab.places import Places
from triage_bot.lab.probes import Probes
from triage_bot.lab.recorder import TrialRecorder
from triage_bot.lab.records import Answer, Order
from triage_bot.lab.runtime import StreamRuntime
from triage_bot.lab.suite import SuiteFiles, function_codes
from triage_bot.lab.torch_runtime import EAGER_ENVIRONMENT


def suite_files(session: pytest.Session) -> SuiteFiles:
    """The suite that ``session`` collected."""
    return SuiteFiles(session.config.rootpath, {item.path for item in session.items})


def run(session: pytest.Session, order: Order) -> NoReturn:
    """Run the ordered trial, write the answer to the file that the order names, and end this process at once.

    The process ends without interpreter shutdown: exit handlers of a broken CUDA context can hang or abort, and what
    they would say belongs to no test.
    """
    ours, status = getpid(), 0
    try:
        answer = _observe(session, order)
        # A child that the test forked may come back from it, too.
        if getpid() == ours:
            answers.write(Path(order.answer), answer)
    except BaseException as error:
        status = 70
        traceback.print_exc()
        print(f"{answers.UNTOLD}{type(error).__name__}: {error}", file=sys.stderr)
    finally:
        with suppress(AttributeError, OSError, ValueError):  # the test may have closed them, or put None in their place
            sys.stdout.flush()
            sys.stderr.flush()
        _exit(status)


def _observe(session: pytest.Session, order: Order) -> Answer:
    if order.arm.eager:
        os.environ.update(EAGER_ENVIRONMENT)
    items = {item.nodeid: item for item in session.items}
    if order.node_id not in items:
        return Answer(answers.not_run("this time it was not collected"), Environment())
    if order.patch is not None:
        apply(order.patch)
    item, before = items[order.node_id], [items[node_id] for node_id in order.before if node_id in items]
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
    watched = partial(watching, codes, probes) if probes is not None and probes.needs_lines else nullcontext
    ended = _run_all([*before, item], recorder, watched)
    if ended is not None and ended is not item:
        return Answer(answers.not_run(f"{ended.nodeid}, which runs before it, ended the run"), Environment())
    return Answer(_shown(recorder, item, probes, runtime), _environment(runtime))


def _run_all(
    items: Sequence[pytest.Item], recorder: TrialRecorder, watched: Callable[[], AbstractContextManager[None]]
) -> pytest.Item | None:
    """Run each once. The one that would have ended the whole run, if one would."""
    for current, following in zip(items, [*items[1:], None], strict=True):
        recorder.forget()
        try:
            with watched():
                current.config.hook.pytest_runtest_protocol(item=current, nextitem=following)
        except BaseException as error:
            recorder.ended_by(error)
            return current
    return None


def _shown(
    recorder: TrialRecorder, item: pytest.Item, probes: Probes | None, runtime: StreamRuntime | None
) -> Observation:
    outcome = recorder.outcome()
    if outcome is Outcome.NOT_RUN:
        return answers.not_run("no phase of it was reported: a plugin runs it in another way, or not at all")
    return Observation(
        outcome=outcome,
        failure=recorder.failure() if outcome.bad else None,
        seconds=0.0,
        streams=probes.uses() if probes else (),
        boundaries=tuple(probes.boundaries) if probes else (),
        coverage=Coverage(tuple(runtime.gaps()) if runtime else ("no-stream-runtime",)),
        properties=recorder.properties(),
        reason=recorder.reason(),
        marked_stream=item.get_closest_marker("stream") is not None,
        loads_lazily=runtime is not None and runtime.loads_lazily,
        asked_in_vain=probes is not None and probes.asked_in_vain,
    )


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
