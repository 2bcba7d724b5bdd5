"""Which operations are told, on which stream and thread."""

from __future__ import annotations

import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch.cuda import _gpu_trace as trace

from triage_bot.lab.torch_runtime import launches
from triage_bot.lab.torch_runtime.runtime import TorchRuntime

if TYPE_CHECKING:
    from tests.torch.conftest import FakeDevice, Listener

pytestmark = pytest.mark.torch

SIDE = 0x51DE
LAUNCH = [("before_launch", 0), ("after_launch", 0)]


@pytest.fixture
def everything_on_device(monkeypatch: pytest.MonkeyPatch) -> None:
    """A CPU build has no CUDA tensors: let those of the CPU stand in."""
    monkeypatch.setattr(launches, "_cuda_index", lambda _args, _kwargs: 0)


@pytest.fixture
def runtime(device: FakeDevice, listener: Listener, everything_on_device: None) -> TorchRuntime:
    made = TorchRuntime(device)
    made.begin(listener, ordinal=0, launches=True)
    return made


def test_an_operation_is_told_before_and_after(runtime: TorchRuntime, listener: Listener) -> None:
    torch.ones(3)
    assert listener.told == LAUNCH


def test_views_and_bare_allocations_launch_nothing(runtime: TorchRuntime, listener: Listener) -> None:
    tensor = torch.empty(4)
    tensor.view(2, 2)[0].t().detach()
    tensor.new_empty(3)
    torch.empty_like(tensor)
    assert listener.told == []


def test_in_place_operations_and_item_launch(runtime: TorchRuntime, listener: Listener) -> None:
    tensor = torch.empty(1)
    tensor.fill_(1)
    tensor.item()
    assert listener.told == LAUNCH * 2


def test_an_operation_that_fails_is_not_told_to_have_entered(runtime: TorchRuntime, listener: Listener) -> None:
    a, b = torch.empty(2, 3), torch.empty(2, 3)
    with pytest.raises(RuntimeError):
        a @ b
    assert listener.told == LAUNCH[:1]


def test_operations_of_a_thread_started_later_are_told(runtime: TorchRuntime, listener: Listener) -> None:
    thread = threading.Thread(target=torch.ones, args=(3,), name="copier")
    thread.start()
    thread.join()
    assert listener.told == LAUNCH
    assert listener.threads == ["copier"]
    assert "background-thread-launches" not in runtime.gaps()


def test_operations_of_a_backward_pass_are_told(runtime: TorchRuntime, listener: Listener) -> None:
    weight = torch.ones(3, requires_grad=True)
    loss = (weight * 2).sum()
    listener.told.clear()
    loss.backward()
    assert listener.told[:2] == LAUNCH


def test_a_graph_replay_is_one_operation(
    monkeypatch: pytest.MonkeyPatch, device: FakeDevice, listener: Listener, everything_on_device: None
) -> None:
    monkeypatch.setattr(torch.cuda.CUDAGraph, "replay", lambda _self: torch.empty(1))
    TorchRuntime(device).begin(listener, ordinal=0, launches=True)
    graph: Any = object()
    torch.cuda.CUDAGraph.replay(graph)
    assert listener.told == LAUNCH


def test_no_operation_is_told_to_an_observer_that_needs_none(
    device: FakeDevice, listener: Listener, everything_on_device: None
) -> None:
    runtime = TorchRuntime(device)
    runtime.begin(listener, ordinal=0, launches=True)
    runtime.begin(listener, ordinal=1, launches=False)
    torch.ones(3)
    assert listener.told == []


def test_operations_on_the_host_are_not_told(device: FakeDevice, listener: Listener) -> None:
    TorchRuntime(device).begin(listener, ordinal=0, launches=True)
    torch.ones(3).add_(1).sum().item()
    assert listener.told == []


@pytest.mark.parametrize(
    ("device_argument", "index"),
    [("cpu", None), ("cuda", -1), ("cuda:1", 1), (torch.device("cuda", 0), 0)],
)
def test_a_result_asked_for_on_a_device_runs_there(device_argument: object, index: int | None) -> None:
    assert launches._cuda_index((), {"device": device_argument}) == index


def test_an_event_on_a_stream_without_operations_betrays_driver_calls(runtime: TorchRuntime) -> None:
    torch.ones(3)
    trace.EventRecordCallbacks.fire_callbacks(1, SIDE)
    assert "raw-driver-calls" in runtime.gaps()


def test_work_on_a_stream_without_operations_or_waits_betrays_driver_calls(
    runtime: TorchRuntime, device: FakeDevice
) -> None:
    device.working = {0}
    runtime.busy()
    assert "raw-driver-calls" in runtime.gaps()


def test_a_stream_that_only_waits_betrays_nothing(runtime: TorchRuntime, device: FakeDevice) -> None:
    trace.EventWaitCallbacks.fire_callbacks(1, SIDE)
    device.working = {SIDE}
    assert runtime.busy() == [SIDE]
    assert "raw-driver-calls" not in runtime.gaps()


def test_an_event_from_a_thread_that_nobody_follows_is_a_gap(device: FakeDevice, listener: Listener) -> None:
    go, done = threading.Event(), threading.Event()

    def work() -> None:
        go.wait()
        trace.EventRecordCallbacks.fire_callbacks(1, 0)
        done.set()

    threading.Thread(target=work).start()
    runtime = TorchRuntime(device)
    runtime.begin(listener, ordinal=0, launches=True)
    go.set()
    done.wait()
    assert "background-thread-launches" in runtime.gaps()


def test_a_mode_does_not_load_the_compiler_of_torch() -> None:
    code = (
        "import sys, torch\n"
        "from triage_bot.lab import torch_runtime\n"
        "torch_runtime.warm()\n"
        "import triage_bot.lab.torch_runtime.launches as l\n"
        "with l._LaunchMode(None, None): torch.ones(3)\n"
        "sys.exit('torch._dynamo' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("early", ["import torch._dynamo", ""], ids=["loaded before", "loaded by the test"])
def test_a_compiled_function_runs_without_a_warning(early: str) -> None:
    code = (
        "import sys, warnings, torch\n"
        f"{early}\n"
        "warnings.simplefilter('error')\n"
        "sys.path.insert(0, '')\n"
        "from tests.torch.conftest import FakeDevice, Listener\n"
        "from triage_bot.lab.torch_runtime import launches, runtime\n"
        "launches._cuda_index = lambda args, kwargs: 0\n"
        "listener = Listener()\n"
        "runtime.TorchRuntime(FakeDevice()).begin(listener, ordinal=0, launches=True)\n"
        "double = torch.compile(lambda x: x * 2, backend='eager')\n"
        "one = torch.ones(3)\n"
        "listener.told.clear()\n"
        "assert double(one).tolist() == [2, 2, 2]\n"
        "assert len(listener.told) == 2, listener.told"
    )
    ran = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
