from __future__ import annotations

import threading

import pytest

from kvrace_tests.harness.emulator import Emulator
from kvrace_tests.harness.faults import assert_on_device, register_host
from kvrace_tests.harness.host import HangError, StrayThreadError
from kvrace_tests.harness.memory import OutOfMemoryError
from kvrace_tests.harness.run import DeviceError
from kvrace_tests.offload.streams import SourceOrder
from kvrace_tests.specimens.emulated import test_leaky_store as leaky

SIZE = 16


def _leaky_trace(seed: str) -> str:
    device = Emulator(seed)
    try:
        leaky.test_store_drained_orders_after_compute_write(device)
    finally:
        trace = device.run.trace.text()
    return trace


def test_one_seed_gives_the_same_trace_byte_for_byte_with_a_background_thread() -> None:
    assert _leaky_trace("4").encode() == _leaky_trace("4").encode()


def test_another_seed_gives_another_schedule() -> None:
    assert _leaky_trace("4") != _leaky_trace("5")


def test_an_unordered_copy_really_reads_stale_bytes_and_an_ordered_one_does_not() -> None:
    device = Emulator("0")
    data, saved = device.device_buffer(1, SIZE), device.host_buffer(1, SIZE)
    writer, reader = device.new_stream("writer"), device.new_stream("reader")
    written = device.new_event()
    writer.sleep(1.0)
    writer.fill(data, 1)
    writer.record(written)
    reader.copy(saved, data, [(0, 0)])
    reader.synchronize()
    assert saved.peek(0) != bytes([1]) * SIZE
    reader.wait(written)
    reader.copy(saved, data, [(0, 0)])
    reader.synchronize()
    assert saved.peek(0) == bytes([1]) * SIZE


def test_two_operations_that_overlap_leave_a_torn_block() -> None:
    torn = 0
    for seed in range(60):
        device = Emulator(str(seed))
        data, ones = device.device_buffer(1, SIZE), device.device_buffer(1, SIZE)
        left, right = device.new_stream("left"), device.new_stream("right")
        left.fill(ones, 1)
        left.copy(data, ones, [(0, 0)])
        right.fill(data, 2)
        device.synchronize()
        torn += len(set(left.read(data))) > 1
    assert torn > 0


def test_a_wait_keeps_the_record_that_the_event_had_then() -> None:
    device = Emulator("0")
    data = device.device_buffer(1, SIZE)
    slow, other, reader = device.new_stream("slow"), device.new_stream("other"), device.new_stream("reader")
    event = device.new_event()
    slow.sleep(5.0)
    slow.fill(data, 3)
    slow.record(event)
    reader.wait(event)
    other.record(event)
    assert reader.read(data) == bytes([3]) * SIZE


def test_a_batch_with_unordered_sources_reads_before_what_it_waits_for() -> None:
    device = Emulator("0")
    data, saved = device.device_buffer(1, SIZE), device.host_buffer(1, SIZE)
    stream = device.new_stream("stream")
    stream.fill(data, 1)
    stream.synchronize()
    stream.sleep(1.0)
    stream.fill(data, 2)
    stream.copy(saved, data, [(0, 0)], SourceOrder.ANY)
    stream.synchronize()
    assert saved.peek(0) == bytes([1]) * SIZE


def test_freed_memory_is_handed_out_again_at_once_unless_a_stream_was_recorded() -> None:
    device = Emulator("0")
    side = device.new_stream("side")
    first = device.device_buffer(1, SIZE)
    side.sleep(1.0)
    first.free()
    assert device.device_buffer(1, SIZE).memory is first.memory
    second = device.device_buffer(1, SIZE)
    side.sleep(1.0)
    second.record_stream(side)
    second.free()
    assert device.device_buffer(1, SIZE).memory is not second.memory
    side.synchronize()
    assert device.device_buffer(1, SIZE).memory is second.memory


def test_memory_that_nobody_refers_to_is_handed_out_again() -> None:
    device = Emulator("0")
    kept, forgotten = device.device_buffer(1, SIZE), device.device_buffer(1, SIZE)
    memory = forgotten.memory
    del forgotten
    again = device.device_buffer(1, SIZE)
    assert again.memory is memory
    assert device.device_buffer(1, SIZE).memory not in {kept.memory, memory}


def test_while_a_graph_is_captured_nothing_may_wait_or_ask() -> None:
    device = Emulator("0")
    stream, event = device.new_stream("stream"), device.new_event()
    with device.capture(stream):
        for call in (stream.synchronize, stream.query, event.query, event.synchronize, device.synchronize):
            with pytest.raises(DeviceError, match="not permitted when stream is capturing"):
                call()


def test_a_replay_does_again_what_was_captured() -> None:
    device = Emulator("0")
    data = device.device_buffer(1, SIZE)
    stream = device.new_stream("stream")
    stream.fill(data, 0)
    with device.capture(stream) as graph:
        stream.add(data, data)
    stream.fill(data, 1)
    for _ in range(3):
        stream.replay(graph)
    assert stream.read(data) == bytes([8]) * SIZE


def test_time_is_virtual() -> None:
    device = Emulator("0")
    began = device.now()
    stream = device.new_stream("stream")
    stream.sleep(60_000.0)
    stream.synchronize()
    assert device.now() - began == pytest.approx(60.0, rel=0.02)


def test_a_wait_that_nothing_will_end_is_an_error_and_no_hang() -> None:
    device = Emulator("0")
    stream = device.new_stream("stream")
    with pytest.raises(HangError, match="no thread and no stream will ever"):
        device.run.host.wait_for(device.run.engine.marker())
    stream.synchronize()


def test_polling_ends_at_its_timeout() -> None:
    assert not Emulator("0").wait_until(lambda: False, timeout=0.01)


def test_a_thread_that_the_device_did_not_start_is_refused() -> None:
    device = Emulator("0")
    stream = device.new_stream("stream")
    caught: list[BaseException] = []

    def call() -> None:
        try:
            stream.sleep(1.0)
        except StrayThreadError as error:
            caught.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    thread.join()
    assert "start background work with Streams.worker" in str(caught[0])


def test_a_worker_left_behind_ends_with_the_next_run() -> None:
    device = Emulator("0")
    before = threading.active_count()
    device.worker("left").submit(lambda: None)
    device.synchronize()
    device.restart("1")
    assert threading.active_count() == before


def test_what_a_job_raises_is_kept_and_told_to_the_next_job() -> None:
    device = Emulator("0")
    worker = device.worker("worker")

    def fail() -> None:
        raise OSError("gone")

    worker.submit(fail)
    assert device.wait_until(lambda: worker.error is not None, timeout=1.0)
    with pytest.raises(OSError, match="gone"):
        worker.submit(lambda: None)


def test_an_assertion_on_the_device_fails_every_later_call() -> None:
    device = Emulator("0")
    stream = device.new_stream("stream")
    assert_on_device(device, stream, holds=False)
    with pytest.raises(DeviceError, match="device-side assert"):
        stream.synchronize()
    device.restart("1")
    with pytest.raises(DeviceError, match="device-side assert"):
        stream.sleep(1.0)


def test_host_memory_that_is_locked_already_is_refused() -> None:
    device, region = Emulator("0"), bytearray(8)
    register_host(device, region)
    with pytest.raises(DeviceError, match="already mapped"):
        register_host(device, region)


def test_more_memory_than_the_device_has_is_refused_with_both_numbers() -> None:
    device = Emulator("0", capacity=100)
    device.device_buffer(1, 60)
    with pytest.raises(OutOfMemoryError, match="tried to allocate 50 bytes, 40 of 100 are free"):
        device.device_buffer(1, 50)


def test_a_restart_keeps_what_an_earlier_test_left_and_else_forgets_it() -> None:
    device = Emulator("0")
    stream = device.new_stream("stream")
    stream.sleep(5.0)
    device.restart("1")
    assert not stream.query()
    stream.synchronize()
    del stream
    device.restart("1")
    assert device.run.trace.entries == []


def test_a_buffer_of_another_device_is_refused() -> None:
    one, other = Emulator("0"), Emulator("0")
    with pytest.raises(ValueError, match="not a stream of this emulated device"):
        one.device_buffer(1, SIZE, other.new_stream("foreign"))


def test_a_freed_buffer_cannot_be_used() -> None:
    device = Emulator("0")
    buffer = device.device_buffer(1, SIZE)
    buffer.free()
    buffer.free()
    with pytest.raises(DeviceError, match="was freed"):
        device.default_stream.fill(buffer, 1)
