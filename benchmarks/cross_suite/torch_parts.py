"""Parts of a generated suite in plain torch: innocent tests, and for each kind a polluter and its victim.

Each test is right by itself. What stands before the tests goes into every generated suite. All tests use the same few
kernels, so that none of them synchronizes the device by loading one for the first time while work is in flight.
"""

from __future__ import annotations

import os
import time

import pytest
import torch

SIZE = 1024
CYCLES_A_MS = 2_000_000

_settings = {"scale": 1, "colour": 0}
_kept: list[torch.Tensor] = []
_shared: dict[str, torch.Tensor] = {}
_region = torch.zeros(1 << 16, dtype=torch.uint8)
_other_region = torch.zeros(1 << 16, dtype=torch.uint8)
_never_registered = torch.zeros(1 << 16, dtype=torch.uint8)


def _new(value: int = 0) -> torch.Tensor:
    return torch.full((SIZE,), value, dtype=torch.int32, device="cuda")


def _shared_tensor() -> torch.Tensor:
    if "data" not in _shared:
        _shared["data"] = _new()
    return _shared["data"]


def _staging() -> torch.Tensor:
    if "staging" not in _shared:
        _shared["staging"] = torch.zeros(SIZE, dtype=torch.int32, pin_memory=True)
    return _shared["staging"]


def _holds(data: torch.Tensor, value: int) -> bool:
    """Compared on the host: no kernel, but a wait for the current stream."""
    return data.cpu().tolist() == [value] * SIZE


def _register(region: torch.Tensor) -> None:
    runtime = torch.cuda.cudart()
    torch.cuda.check_error(int(runtime.cudaHostRegister(region.data_ptr(), region.numel(), 0)))


def _unregister(region: torch.Tensor) -> None:
    torch.cuda.check_error(int(torch.cuda.cudart().cudaHostUnregister(region.data_ptr())))


# Innocent tests: nothing that they do can reach another test.


def innocent_fill() -> None:
    assert _holds(_new(7), 7)


def innocent_launches_and_drains() -> None:
    data = _new()
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for i in range(8):
            torch.cuda._sleep(CYCLES_A_MS // 4)
            data.fill_(i)
    stream.synchronize()
    assert _holds(data, 7)


def innocent_two_streams() -> None:
    producer, consumer = torch.cuda.Stream(), torch.cuda.Stream()
    copied = _new()
    with torch.cuda.stream(producer):
        data = _new(9)
    consumer.wait_stream(producer)
    consumer.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(consumer):
        copied.copy_(data)
        assert _holds(copied, 9)


def innocent_leaves_its_own_work() -> None:
    data = _new()
    _kept.append(data)
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for i in range(4):
            torch.cuda._sleep(CYCLES_A_MS)
            data.fill_(i)


def innocent_keeps_little_memory() -> None:
    _kept.append(_new())
    assert _kept[-1].numel() == SIZE


def innocent_restores_a_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(_settings, "scale", 3)
    assert _holds(_new(_settings["scale"]), 3)


def innocent_changes_another_setting() -> None:
    _settings["colour"] += 1
    assert _settings["colour"] > 0


def innocent_restores_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GENERATED_SCALE", "5")
    assert os.environ["GENERATED_SCALE"] == "5"


def innocent_sets_another_variable() -> None:
    os.environ["GENERATED_COLOUR"] = "red"
    assert os.environ["GENERATED_COLOUR"] == "red"


def innocent_synchronizing_unregisters() -> None:
    _register(_other_region)
    _unregister(_other_region)


def innocent_host_only() -> None:
    assert sum(range(100)) == 4950


# Work left in flight: some 1.5 seconds of it.


def polluter_kernels() -> None:
    data = _shared_tensor()
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    first = torch.cuda.Event()
    with torch.cuda.stream(stream):
        for i in range(60):
            torch.cuda._sleep(25 * CYCLES_A_MS)
            data.fill_(i + 1)
            if i == 0:
                first.record()
    first.synchronize()
    assert first.query(), "the first result is missing"


def victim_kernels() -> None:
    data = _shared_tensor()
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    changed = 0
    with torch.cuda.stream(stream):
        for i in range(10):
            data.fill_(i + 101)
            stream.synchronize()
            time.sleep(0.02)
            changed += not _holds(data, i + 101)
    assert changed == 0, f"{changed} results changed after they were written"


def polluter_copy() -> None:
    data = _new(3)
    _kept.append(data)
    staging = _staging()
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(60):
            torch.cuda._sleep(25 * CYCLES_A_MS)
            staging.copy_(data, non_blocking=True)


def victim_copy() -> None:
    staging = _staging()
    staging.fill_(4)
    time.sleep(0.1)
    assert staging.tolist() == [4] * SIZE, "the host's numbers were overwritten"


# State left behind.


def polluter_setting() -> None:
    _settings["scale"] = 2
    assert _holds(_new(_settings["scale"]), 2)


def victim_setting() -> None:
    assert _holds(_new(_settings["scale"]), 1), "the default scale is not 1"


def polluter_environment() -> None:
    os.environ["GENERATED_SCALE"] = "2"
    assert os.environ["GENERATED_SCALE"] == "2"


def victim_environment() -> None:
    assert os.environ.get("GENERATED_SCALE", "1") == "1", "the default scale is not 1"


def polluter_registration() -> None:
    _register(_region)


def victim_registration() -> None:
    _register(_region)
    _unregister(_region)


def polluter_last_error() -> None:
    answer = torch.cuda.cudart().cudaHostUnregister(_never_registered.data_ptr())
    assert int(answer) != 0, "the region was registered"


def victim_last_error() -> None:
    assert _holds(_new(7), 7)


def polluter_sticky() -> None:
    torch._assert_async(_new(0)[0])


def victim_sticky() -> None:
    time.sleep(0.05)
    assert _holds(_new(7), 7)


def polluter_memory() -> None:
    _, total = torch.cuda.mem_get_info()
    _kept.append(torch.empty(6 * total // 10, dtype=torch.uint8, device="cuda"))
    assert _kept[-1].numel() > total // 2


def victim_memory() -> None:
    _, total = torch.cuda.mem_get_info()
    cache = torch.empty(6 * total // 10, dtype=torch.uint8, device="cuda")
    cache[:SIZE].fill_(1)
    torch.cuda.synchronize()
