"""Parts of a generated suite for the emulated device: innocent tests, and for each kind a polluter and its victim.

Each test is right by itself. What stands before the tests goes into every generated suite.
"""

from __future__ import annotations

import os

import pytest

from kvrace_tests.harness.faults import assert_on_device, register_host, unregister_host
from kvrace_tests.offload.backend import EventSlots, OffloadBackend
from kvrace_tests.offload.streams import DeviceBuffer, HostBuffer, Streams

SIZE = 32
BIG = 1 << 16

_settings = {"scale": 1, "colour": 0}
_kept: list[DeviceBuffer] = []
_shared: dict[str, DeviceBuffer] = {}
_pinned: list[HostBuffer] = []
_region = bytearray(64)
_other_region = bytearray(64)


def _shared_buffer(device: Streams) -> DeviceBuffer:
    if "data" not in _shared:
        _shared["data"] = device.device_buffer(1, SIZE)
    return _shared["data"]


def _staging(device: Streams) -> HostBuffer:
    if not _pinned:
        _pinned.append(device.host_buffer(1, SIZE))
    return _pinned[0]


def _drive(device: Streams, rounds: int, first: int, *, with_barrier: bool) -> int:
    data = _shared_buffer(device)
    host = device.host_buffer(1, SIZE)
    backend = OffloadBackend(device, data, host)
    compute_stream = device.new_stream("compute_stream")
    events: EventSlots = [None] * rounds
    corrupt = 0
    for i in range(rounds):
        compute_stream.sleep(25.0)
        compute_stream.fill(data, first + i)
        barrier = device.new_event()
        compute_stream.record(barrier)
        backend.launch_copy([0], [0], True, i, events, barrier if with_barrier else None)
        backend.wait_enqueued(events, i).synchronize()
        corrupt += host.peek(0) != bytes([first + i]) * SIZE
    backend.close()
    return corrupt


# Innocent tests: nothing that they do can reach another test.


def innocent_fill(device: Streams) -> None:
    data = device.device_buffer(1, SIZE)
    stream = device.new_stream("work")
    stream.fill(data, 7)
    assert stream.read(data) == bytes([7]) * SIZE


def innocent_launches_and_drains(device: Streams) -> None:
    data = device.device_buffer(1, SIZE)
    stream = device.new_stream("many")
    for i in range(8):
        stream.sleep(1.0)
        stream.fill(data, i)
    stream.synchronize()
    assert stream.read(data) == bytes([7]) * SIZE


def innocent_two_streams(device: Streams) -> None:
    data, copied = device.device_buffer(1, SIZE), device.device_buffer(1, SIZE)
    producer, consumer = device.new_stream("producer"), device.new_stream("consumer")
    ready = device.new_event()
    producer.fill(data, 9)
    producer.record(ready)
    consumer.wait(ready)
    consumer.copy(copied, data, [(0, 0)])
    assert consumer.read(copied) == bytes([9]) * SIZE


def innocent_leaves_its_own_work(device: Streams) -> None:
    data = device.device_buffer(1, SIZE)
    _kept.append(data)
    stream = device.new_stream("late")
    for i in range(4):
        stream.sleep(3.0)
        stream.fill(data, i)


def innocent_keeps_little_memory(device: Streams) -> None:
    _kept.append(device.device_buffer(1, SIZE))
    assert _kept[-1].blocks == 1


def innocent_frees_what_it_took(device: Streams) -> None:
    data = device.device_buffer(1, BIG)
    stream = device.new_stream("big")
    stream.fill(data, 1)
    stream.synchronize()
    data.free()


def innocent_restores_a_setting(device: Streams, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(_settings, "scale", 3)
    data = device.device_buffer(1, SIZE)
    stream = device.new_stream("scaled")
    stream.fill(data, _settings["scale"])
    assert stream.read(data) == bytes([3]) * SIZE


def innocent_changes_another_setting() -> None:
    _settings["colour"] += 1
    assert _settings["colour"] > 0


def innocent_restores_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GENERATED_SCALE", "5")
    assert os.environ["GENERATED_SCALE"] == "5"


def innocent_sets_another_variable() -> None:
    os.environ["GENERATED_COLOUR"] = "red"
    assert os.environ["GENERATED_COLOUR"] == "red"


def innocent_unregisters(device: Streams) -> None:
    register_host(device, _other_region)
    unregister_host(device, _other_region)


def innocent_host_only() -> None:
    assert sum(range(100)) == 4950


# Work left in flight.


def polluter_kernels(device: Streams) -> None:
    data = _shared_buffer(device)
    stream = device.new_stream("produce")
    first = device.new_event()
    for i in range(60):
        stream.sleep(25.0)
        stream.fill(data, i + 1)
        if i == 0:
            stream.record(first)
    first.synchronize()
    assert first.query(), "the first result is missing"


def victim_kernels(device: Streams) -> None:
    data = _shared_buffer(device)
    stream = device.new_stream("check")
    changed = 0
    for i in range(10):
        stream.fill(data, i + 101)
        stream.synchronize()
        device.host_sleep(0.02)
        changed += stream.read(data) != bytes([i + 101]) * SIZE
    assert changed == 0, f"{changed} results changed after they were written"


def polluter_copy(device: Streams) -> None:
    data = device.device_buffer(1, SIZE)
    _kept.append(data)
    stream = device.new_stream("slow")
    stream.fill(data, 3)
    for _ in range(60):
        stream.sleep(25.0)
        stream.copy(_staging(device), data, [(0, 0)])


def victim_copy(device: Streams) -> None:
    staging = _staging(device)
    staging.poke(0, 4)
    device.host_sleep(0.1)
    assert staging.peek(0) == bytes([4]) * SIZE, "the host's bytes were overwritten"


def polluter_window(device: Streams) -> None:
    corrupt = _drive(device, 60, 1, with_barrier=False)
    assert corrupt > 0, "vacuous control: the control phase never raced"


def victim_window(device: Streams) -> None:
    corrupt = _drive(device, 20, 101, with_barrier=True)
    assert corrupt == 0, f"store raced compute even with the barrier: {corrupt} corrupt"


def polluter_chance(device: Streams) -> None:
    data = _shared_buffer(device)
    stream = device.new_stream("produce")
    for i in range(60):
        stream.sleep(25.0)
        stream.fill(data, i + 1)


def victim_chance(device: Streams) -> None:
    data = _shared_buffer(device)
    stream = device.new_stream("check")
    stream.fill(data, 101)
    stream.synchronize()
    device.host_sleep(0.015)
    assert stream.read(data) == bytes([101]) * SIZE, "the result changed after it was written"


# State left behind.


def polluter_setting(device: Streams) -> None:
    _settings["scale"] = 2
    data = device.device_buffer(1, SIZE)
    stream = device.new_stream("scaled")
    stream.fill(data, _settings["scale"])
    assert stream.read(data) == bytes([2]) * SIZE


def victim_setting(device: Streams) -> None:
    data = device.device_buffer(1, SIZE)
    stream = device.new_stream("scaled")
    stream.fill(data, _settings["scale"])
    seen = stream.read(data)
    assert seen == bytes([1]) * SIZE, "the default scale is not 1"


def polluter_environment() -> None:
    os.environ["GENERATED_SCALE"] = "2"
    assert os.environ["GENERATED_SCALE"] == "2"


def victim_environment() -> None:
    assert os.environ.get("GENERATED_SCALE", "1") == "1", "the default scale is not 1"


def polluter_registration(device: Streams) -> None:
    register_host(device, _region)


def victim_registration(device: Streams) -> None:
    register_host(device, _region)
    unregister_host(device, _region)


def polluter_sticky(device: Streams) -> None:
    stream = device.new_stream("index")
    stream.sleep(1.0)
    assert_on_device(device, stream, holds=False)


def victim_sticky(device: Streams) -> None:
    data = device.device_buffer(1, SIZE)
    stream = device.new_stream("fill")
    device.host_sleep(0.01)
    stream.fill(data, 1)
    assert stream.read(data) == bytes([1]) * SIZE


def polluter_memory(device: Streams) -> None:
    _kept.append(device.device_buffer(12, BIG))
    assert _kept[-1].blocks == 12


def victim_memory(device: Streams) -> None:
    cache = device.device_buffer(11, BIG)
    stream = device.new_stream("cache")
    stream.fill(cache, 1, [0])
    stream.synchronize()
    cache.free()
