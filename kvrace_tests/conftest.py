"""The suite's options and fixtures, and its answer to a triage tool that asks for the runtime of its streams."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from kvrace_tests.cases.table import listing
from kvrace_tests.harness import choice, power, schedules
from kvrace_tests.harness.calibration import Calibrated
from kvrace_tests.harness.judge import Judge
from kvrace_tests.harness.runtime import EmulatedRuntime
from kvrace_tests.offload.streams import Streams

SPECIMENS = Path(__file__).parent / "specimens"
RUNTIME = pytest.StashKey["EmulatedRuntime | None"]()
CUDA = pytest.StashKey[Calibrated]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Register the suite's options."""
    group = parser.getgroup("kvrace")
    group.addoption(
        "--kvrace-runtime",
        choices=("auto", "cuda", "emulated"),
        default="auto",
        help="device: auto is cuda where there is one, else emulated",
    )
    group.addoption("--kvrace-seed", type=int, default=0, help="seed of the emulated device's schedule (default 0)")
    group.addoption(
        "--kvrace-schedules",
        type=int,
        default=1,
        metavar="K",
        help="run each test under K seeds from --kvrace-seed on, each twice to prove that it is a replay (emulated)",
    )
    group.addoption(
        "--kvrace-copies",
        choices=("batched", "single"),
        default="batched",
        help="copies on CUDA: batched by the driver where it can, as offload engines do, or each through torch, whose "
        "hooks see them (default batched)",
    )
    group.addoption("--kvrace-list", action="store_true", help="print the table of ordering edges and cases, and exit")
    group.addoption(
        "--kvrace-window", action="store_true", help="measure how long the cases hold their races open here, and exit"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, which a triage tool registers too; refuse a device that is not there."""
    config.addinivalue_line("markers", "stream: the test orders work on device streams; triage probes it")
    choice.require_cuda(config)


def pytest_cmdline_main(config: pytest.Config) -> int | None:
    """Print the table, or the window, instead of running, if that was asked."""
    if config.getoption("kvrace_schedules") < 1:
        raise pytest.UsageError("--kvrace-schedules needs at least 1 schedule")
    if config.getoption("kvrace_list"):
        print(listing())
    elif config.getoption("kvrace_window"):
        choice.require_cuda(config)
        runtime = emulated_runtime(config)
        calibrated = cuda(config) if runtime is None else runtime.device
        print(f"{calibrated.name}: {calibrated.window}")
    else:
        return None
    return 0


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Multiply the tests by the schedules."""
    count = int(metafunc.config.getoption("kvrace_schedules"))
    if count > 1 and emulated_runtime(metafunc.config) is not None:
        schedules.parametrize(metafunc, int(metafunc.config.getoption("kvrace_seed")), count)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the specimens alone, but for those that an argument points at."""
    if not collection_path.is_relative_to(SPECIMENS):
        return None
    places = [(config.invocation_params.dir / arg.split("::")[0]).resolve() for arg in config.args]
    asked = [place for place in places if place.is_relative_to(SPECIMENS)]
    on_the_way = any(place.is_relative_to(collection_path) or collection_path.is_relative_to(place) for place in asked)
    return None if on_the_way else True


@pytest.hookimpl(optionalhook=True)
def pytest_triage_stream_runtime(config: pytest.Config) -> EmulatedRuntime | None:
    """The emulated runtime when it is the one; on CUDA the tool knows better."""
    return emulated_runtime(config)


def emulated_runtime(config: pytest.Config) -> EmulatedRuntime | None:
    """The session's emulated runtime, made when first asked for; None on CUDA."""
    if RUNTIME not in config.stash:
        seed = int(config.getoption("kvrace_seed"))
        config.stash[RUNTIME] = EmulatedRuntime(seed) if choice.emulated(config) else None
    return config.stash[RUNTIME]


def cuda(config: pytest.Config) -> Calibrated:
    """The session's CUDA device, made when first asked for."""
    if CUDA not in config.stash:
        config.stash[CUDA] = choice.cuda_device(config)
    return config.stash[CUDA]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Each test draws from its seed anew."""
    runtime = emulated_runtime(item.config)
    seed = schedules.seed_of(item)
    if runtime is not None and seed is not None:
        runtime.start_replay(seed)
    elif runtime is not None:
        runtime.start_test()


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Under many schedules, each is run a second time, and must give the same trace."""
    runtime, seed = emulated_runtime(pyfuncitem.config), schedules.seed_of(pyfuncitem)
    try:
        return (yield)
    finally:
        if runtime is not None and seed is not None:
            told = len(pyfuncitem.user_properties)
            arguments = {name: pyfuncitem.funcargs[name] for name in inspect.signature(pyfuncitem.obj).parameters}
            schedules.check_replay(runtime, seed, lambda: pyfuncitem.obj(**arguments))
            del pyfuncitem.user_properties[told:]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A failure on the emulated device says how to see it again."""
    report = yield
    runtime = emulated_runtime(item.config)
    if report.failed and runtime is not None:
        report.sections.append(("kvrace replay", schedules.replay_line(item, runtime.seed)))
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What the cases held open, and what that found: how often their controls raced for the time they took."""
    for line in power.summary(report for name in ("passed", "failed") for report in terminalreporter.getreports(name)):
        terminalreporter.write_line(line)


@pytest.fixture
def record(request: pytest.FixtureRequest) -> Callable[[str, object], None]:
    """Writes a property of the test. pytest's own fixture for it warns under the xunit2 family, which takes it too."""
    properties = request.node.user_properties
    return lambda name, value: properties.append((name, str(value)))


@pytest.fixture
def device(request: pytest.FixtureRequest, record: Callable[[str, object], None]) -> Streams:
    """The device under test, the same for the whole session."""
    runtime = emulated_runtime(request.config)
    if runtime is None:
        found = cuda(request.config)
    else:
        found = runtime.device
        record("kvrace.seed", runtime.schedule)
    record("kvrace.runtime", found.name)
    record("kvrace.window_ms", f"{found.window.ms:g}")
    record("kvrace.window", found.window)
    return found


@pytest.fixture
def judge(device: Streams, record: Callable[[str, object], None]) -> Judge:
    """Compares the two halves of a case."""
    return Judge(device, record)
