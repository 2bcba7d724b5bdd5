"""The suite's options and fixtures, and its answer to a triage tool that asks for the runtime of its streams."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kvrace_tests.harness import choice
from kvrace_tests.harness.judge import Judge
from kvrace_tests.harness.runtime import EmulatedRuntime
from kvrace_tests.offload.streams import Streams

SPECIMENS = Path(__file__).parent / "specimens"
RUNTIME = pytest.StashKey["EmulatedRuntime | None"]()
CUDA = pytest.StashKey[Streams]()


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


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, which a triage tool registers too."""
    config.addinivalue_line("markers", "stream: the test orders work on device streams; triage probes it")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the specimens alone unless an argument points at them."""
    if collection_path != SPECIMENS:
        return None
    places = [(config.invocation_params.dir / arg.split("::")[0]).resolve() for arg in config.args]
    return None if any(place.is_relative_to(SPECIMENS) for place in places) else True


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


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Each test draws from the seed anew."""
    runtime = emulated_runtime(item.config)
    if runtime is not None:
        runtime.start_test()


@pytest.fixture
def device(request: pytest.FixtureRequest, record_property: Callable[[str, object], None]) -> Streams:
    """The device under test, the same for the whole session."""
    runtime = emulated_runtime(request.config)
    if runtime is None:
        if CUDA not in request.config.stash:
            request.config.stash[CUDA] = choice.cuda_device()
        record_property("kvrace.runtime", "cuda")
        return request.config.stash[CUDA]
    record_property("kvrace.runtime", runtime.name)
    record_property("kvrace.seed", runtime.schedule)
    return runtime.device


@pytest.fixture
def judge(device: Streams, record_property: Callable[[str, object], None]) -> Judge:
    """Compares the two halves of a case."""
    return Judge(device, record_property)
