"""A lab that runs emulated specimens inside this process: the bot's own probes, names, places and boundaries, no forks.

For benchmarks over many seeds. A trial loads its module anew and begins on a fresh device, so nothing passes from one
trial to the next. What it leaves out is what processes add: crashes, hangs, start-up.
"""

from __future__ import annotations

import importlib
import inspect
import linecache
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from types import CodeType, ModuleType

import pytest

from kvrace_tests.harness.judge import Judge
from kvrace_tests.harness.runtime import EmulatedRuntime
from triage_bot.core.arms import Arm, Isolation
from triage_bot.core.findings import Environment
from triage_bot.core.remedy import Patch
from triage_bot.core.results import Failure, Outcome
from triage_bot.core.trials import Observation, Site
from triage_bot.lab.lines import watching
from triage_bot.lab.names import StreamNames
from triage_bot.lab.patching import apply
from triage_bot.lab.places import Places
from triage_bot.lab.probes import Probes
from triage_bot.lab.suite import SuiteFiles, function_codes
from triage_bot.ports import CollectedTest

ROOT = Path(__file__).parent.parent
SPECIMENS = ROOT / "kvrace_tests" / "specimens" / "emulated"


@dataclass(frozen=True)
class Specimen:
    """One test of the zoo and what its author says of it."""

    module: str
    """Dotted name."""
    test: str
    truth: str
    """A verdict, or ``healthy``."""
    leaker: str
    """Of a cross-phase contamination; else empty."""
    polluter: str
    """Name of the earlier test that a later one suffers from; else empty."""

    @property
    def node_id(self) -> str:
        return f"{self.module.replace('.', '/')}.py::{self.test}"


def zoo() -> list[Specimen]:
    """Every emulated specimen, in the order in which pytest collects them."""
    found = []
    for path in sorted(SPECIMENS.glob("test_*.py")):
        name = f"kvrace_tests.specimens.emulated.{path.stem}"
        module = importlib.import_module(name)
        tests = [test for test in vars(module) if test in module.TRUTH]
        found.extend(
            Specimen(
                name,
                test,
                module.TRUTH[test],
                getattr(module, "LEAKER", "") if module.TRUTH[test] == "cross-phase-contamination" else "",
                getattr(module, "POLLUTER", "") if module.TRUTH[test] in NEEDS_ORDER else "",
            )
            for test in tests
        )
    return found


NEEDS_ORDER = ("cross-test-contamination", "order-dependent")


@dataclass
class EmulatedLab:
    """The tests of one specimen module under one seed."""

    module: str
    """Dotted name; importable."""
    seed: int
    root: Path = ROOT
    """Folder that the module's name starts from."""
    trials: int = 0
    _runtime: EmulatedRuntime = field(init=False)

    def __post_init__(self) -> None:
        self._runtime = EmulatedRuntime(self.seed)

    def collected(self) -> Sequence[CollectedTest]:
        module = importlib.import_module(self.module)
        prefix = f"{self.module.replace('.', '/')}.py::"
        return [
            CollectedTest(prefix + name, marked_stream=_marked(function))
            for name, function in vars(module).items()
            if name.startswith("test_")
        ]

    def environment(self) -> Environment:
        return Environment(runtime="emulated", python=sys.version.split()[0])

    def remarks(self) -> Sequence[str]:
        return ()

    def source(self, file: str) -> str | None:
        return (self.root / file).read_text(encoding="utf-8")

    def run(
        self, node_id: str, arm: Arm, ordinal: int, before: Sequence[str] = (), patch: Patch | None = None
    ) -> Observation:
        self.trials += 1
        module = _anew(self.module)
        linecache.cache.pop(str(module.__file__), None)  # an earlier trial may have been one of a patched source
        if patch is not None:
            apply(Patch(str(self.root / patch.file), patch.source))
        suite = SuiteFiles(self.root, {Path(str(module.__file__))})
        deep = arm.isolation is Isolation.DRAINED_DEEP
        codes = _codes(module, node_id, deep=deep)
        probes = Probes(arm, self._runtime, StreamNames(self._runtime, suite), Places(codes, suite, deep=deep))
        began = time.monotonic()
        self._runtime.begin(probes, ordinal=ordinal, launches=probes.needs_launches)
        self._runtime.device.renew(self._runtime.schedule)
        failure = None
        with _environment():
            for test in [*before, node_id]:
                failure = self._one(module, test, codes, probes, suite)
        if patch is not None:
            importlib.reload(module)  # whoever uses the module next wants it as it is
        return Observation(
            outcome=Outcome.FAILED if failure else Outcome.PASSED,
            failure=failure,
            seconds=time.monotonic() - began,
            streams=probes.uses(),
            boundaries=tuple(probes.boundaries),
            marked_stream=_marked(getattr(module, node_id.split("::")[1])),
            asked_in_vain=probes.asked_in_vain,
        )

    def _one(
        self, module: ModuleType, test: str, codes: list[CodeType], probes: Probes, suite: SuiteFiles
    ) -> Failure | None:
        function = getattr(module, test.split("::")[1])
        line = function.__code__.co_firstlineno
        site = Site(suite.relative(str(module.__file__)), line, function.__name__)
        self._runtime.start_test()
        failure = None
        with _fixtures(function, self._runtime) as call:
            probes.begin_phase("call", site)
            try:
                if probes.needs_lines:
                    with watching(codes, probes):
                        call()
                else:
                    call()
            except (Exception, pytest.fail.Exception) as error:
                failure = _failure(error, suite)
            finally:
                _end(probes)
        return failure

    def trace(self) -> str:
        """The last trial's trace."""
        return self._runtime.device.run.trace.text()


def _anew(name: str) -> ModuleType:
    """The module as it is when it has just been imported."""
    module = importlib.import_module(name)
    exec(_code(module), vars(module))
    return module


@lru_cache(maxsize=64)
def _code(module: ModuleType) -> CodeType:
    return compile(Path(str(module.__file__)).read_text(encoding="utf-8"), str(module.__file__), "exec")


def _marked(function: Callable[..., None]) -> bool:
    return any(mark.name == "stream" for mark in getattr(function, "pytestmark", ()))


@contextmanager
def _environment() -> Iterator[None]:
    """What a trial does to the environment ends with it."""
    kept = dict(os.environ)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(kept)


def _end(probes: Probes) -> None:
    try:
        probes.end_phase(unconditionally=True)
    except RuntimeError:
        # A broken context refuses the drain too; the failure that says so is the next test's.
        return


@contextmanager
def _fixtures(function: Callable[..., None], runtime: EmulatedRuntime) -> Iterator[Callable[[], None]]:
    wanted = inspect.signature(function).parameters
    with pytest.MonkeyPatch.context() as monkeypatch:
        judge = Judge(runtime.device, lambda name, value: None)
        given = {"device": runtime.device, "monkeypatch": monkeypatch, "judge": judge}
        yield lambda: function(**{name: given[name] for name in wanted})


def _codes(module: ModuleType, node_id: str, *, deep: bool) -> list[CodeType]:
    if deep:
        return list(function_codes(module))
    return [getattr(module, node_id.split("::")[1]).__code__]


def _failure(error: BaseException, suite: SuiteFiles) -> Failure:
    frames = [(frame.filename, frame.lineno or 0) for frame in traceback.extract_tb(error.__traceback__)]
    own = [frame for frame in frames if frame[0] in suite]
    file, line = (own or frames)[-1]
    return Failure(type(error).__name__, str(error), suite.relative(file), line)
