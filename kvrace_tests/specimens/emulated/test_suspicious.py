"""Healthy tests that look as if they were not: each leaves work in flight, polls, reuses or captures, and is ordered.

What orders each of them is said at its head. None may fail under any arm, and none may be called anything.
"""

from __future__ import annotations

import pytest

from kvrace_tests.offload.backend import EventSlots, OffloadBackend
from kvrace_tests.offload.streams import Event, Priority, SourceOrder, Stream, Streams

SIZE = 32
TURNS = 8
PAIR = [(0, 0)]


def _bytes(value: int) -> bytes:
    return bytes([value]) * SIZE


@pytest.mark.stream
def test_launch_now_and_wait_later(device: Streams) -> None:
    """The second statement leaves work by design, and the last read waits for its event."""
    data, result = device.device_buffer(1, SIZE), device.device_buffer(1, SIZE)
    producer, consumer = device.new_stream("producer"), device.new_stream("consumer")
    produced = device.new_event()
    producer.sleep(30.0)
    producer.fill(data, 4)
    producer.record(produced)
    consumer.wait(produced)
    consumer.copy(result, data, PAIR)
    assert consumer.read(result) == _bytes(4), "the consumer did not wait"


@pytest.mark.stream
def test_polling_until_an_event_is_done(device: Streams) -> None:
    """The host reads after a query that said yes."""
    data, pinned = device.device_buffer(1, SIZE), device.host_buffer(1, SIZE)
    stream, copied = device.new_stream("copy"), device.new_event()
    stream.sleep(3.0)
    stream.fill(data, 6)
    stream.copy(pinned, data, PAIR)
    stream.record(copied)
    assert device.wait_until(copied.query, timeout=30.0), "the copy never ended"
    assert pinned.peek(0) == _bytes(6), "the query answered too early"


@pytest.mark.stream
def test_two_staging_buffers_take_turns(device: Streams) -> None:
    """A buffer is written again only after the copy of two turns before is done."""
    data = device.device_buffer(TURNS, SIZE)
    staging = [device.host_buffer(1, SIZE), device.host_buffer(1, SIZE)]
    sent = [device.new_event(), device.new_event()]
    stream = device.new_stream("upload")
    for turn in range(TURNS):
        mine = turn % 2
        sent[mine].synchronize()
        staging[mine].poke(0, turn + 1)
        stream.copy(data, staging[mine], [(0, turn)])
        stream.record(sent[mine])
    assert stream.read(data) == b"".join(_bytes(turn + 1) for turn in range(TURNS)), "a staged block was overwritten"


@pytest.mark.stream
def test_chain_of_streams(device: Streams) -> None:
    """Each stream waits for the one before; nobody else waits."""
    buffers = [device.device_buffer(1, SIZE) for _ in range(5)]
    streams = [device.new_stream(f"link {number}") for number in range(5)]
    streams[0].sleep(2.0)
    streams[0].fill(buffers[0], 9)
    for before, after in ((0, 1), (1, 2), (2, 3), (3, 4)):
        done = device.new_event()
        streams[before].record(done)
        streams[after].wait(done)
        streams[after].copy(buffers[after], buffers[before], PAIR)
    assert streams[4].read(buffers[4]) == _bytes(9), "a link was skipped"


@pytest.mark.stream
def test_one_event_for_every_turn(device: Streams) -> None:
    """The event is recorded again only after its waiter has been told to wait: a wait keeps its record."""
    data, result = device.device_buffer(1, SIZE), device.device_buffer(1, SIZE)
    producer, consumer = device.new_stream("producer"), device.new_stream("consumer")
    produced, consumed = device.new_event(), device.new_event()
    for turn in range(TURNS):
        producer.wait(consumed)
        producer.sleep(1.0)
        producer.fill(data, turn + 1)
        producer.record(produced)
        consumer.wait(produced)
        consumer.copy(result, data, PAIR)
        consumer.record(consumed)
    assert consumer.read(result) == _bytes(TURNS), "the last turn is missing"


@pytest.mark.stream
def test_freed_and_taken_again_on_one_stream(device: Streams) -> None:
    """The memory is handed out again at once, to the stream whose order protects it."""
    home = device.new_stream("home")
    result = device.device_buffer(1, SIZE)
    first = device.device_buffer(1, SIZE, home)
    home.sleep(2.0)
    home.fill(first, 1)
    home.copy(result, first, PAIR)
    first.free()
    second = device.device_buffer(1, SIZE, home)
    home.fill(second, 2)
    assert home.read(result) == _bytes(1), "the second owner wrote too early"


@pytest.mark.stream
def test_priorities_order_nothing_and_need_not(device: Streams) -> None:
    """A high stream overtakes a low one; they share nothing."""
    left, right = device.device_buffer(1, SIZE), device.device_buffer(1, SIZE)
    low, high = device.new_stream("low", Priority.LOW), device.new_stream("high", Priority.HIGH)
    low.sleep(5.0)
    low.fill(left, 1)
    high.fill(right, 2)
    assert high.read(right) == _bytes(2), "the high stream is wrong"
    assert low.read(left) == _bytes(1), "the low stream is wrong"


@pytest.mark.stream
def test_unordered_source_that_nobody_writes(device: Streams) -> None:
    """The source was finished, and waited for, before the batch that may read it early."""
    data, saved = device.device_buffer(1, SIZE), device.host_buffer(1, SIZE)
    stream = device.new_stream("batch")
    stream.fill(data, 3)
    stream.synchronize()
    stream.sleep(2.0)
    stream.copy(saved, data, PAIR, SourceOrder.ANY)
    stream.synchronize()
    assert saved.peek(0) == _bytes(3), "the batch read something else"


@pytest.mark.stream
def test_graph_between_other_streams(device: Streams) -> None:
    """A capture, replays, and waits on both sides of them."""
    source, result = device.device_buffer(1, SIZE), device.device_buffer(1, SIZE)
    writer, runner = device.new_stream("writer"), device.new_stream("runner")
    written, replayed = device.new_event(), device.new_event()
    with device.capture(runner) as graph:
        runner.sleep(1.0)
        runner.copy(result, source, PAIR)
    for turn in range(TURNS):
        writer.wait(replayed)
        writer.fill(source, turn + 1)
        writer.record(written)
        runner.wait(written)
        runner.replay(graph)
        runner.record(replayed)
    assert runner.read(result) == _bytes(TURNS), "a replay used an old input"


@pytest.mark.stream
def test_default_stream_joined_by_an_event(device: Streams) -> None:
    """The default stream is ordered with no other; the event orders it."""
    data = device.device_buffer(1, SIZE)
    side, filled = device.new_stream("side"), device.new_event()
    device.default_stream.sleep(1.0)
    device.default_stream.fill(data, 8)
    device.default_stream.record(filled)
    side.wait(filled)
    assert side.read(data) == _bytes(8), "the side stream did not wait"


@pytest.mark.stream
def test_background_thread_that_orders_its_copies(device: Streams) -> None:
    """The backend's thread enqueues later than the test thinks, behind events of their own."""
    blocks, saved = device.device_buffer(TURNS, SIZE), device.host_buffer(TURNS, SIZE)
    backend = OffloadBackend(device, blocks, saved)
    compute = device.new_stream("compute")
    events: EventSlots = [None] * TURNS
    for turn in range(TURNS):
        compute.sleep(1.0)
        compute.fill(blocks, turn + 1, [turn])
        written = device.new_event()
        compute.record(written)
        backend.launch_copy([turn], [turn], True, turn, events, written)
    for turn in range(TURNS):
        backend.wait_enqueued(events, turn).synchronize()
    backend.close()
    assert [saved.peek(turn) for turn in range(TURNS)] == [_bytes(turn + 1) for turn in range(TURNS)], (
        "a store is wrong"
    )


def _leave_running(device: Streams, stream: Stream) -> Event:
    """Wait for the first of two pieces of work; the second runs on, and its event says when it is done."""
    first, second = device.new_event(), device.new_event()
    stream.sleep(1.0)
    stream.record(first)
    stream.sleep(20.0)
    stream.record(second)
    first.synchronize()
    return second


@pytest.mark.stream
def test_work_left_by_a_helper_is_waited_for_in_the_end(device: Streams) -> None:
    """A helper returns early with work in flight that touches nothing anyone uses."""
    data = device.device_buffer(1, SIZE)
    pacing, compute = device.new_stream("pacing"), device.new_stream("compute")
    rest = _leave_running(device, pacing)
    compute.fill(data, 2)
    seen = compute.read(data)
    rest.synchronize()
    assert seen == _bytes(2), "the pacing stream touched the data"


@pytest.mark.stream
def test_sum_over_streams(device: Streams) -> None:
    """Partial sums of several streams meet on one that waits for all of them."""
    total = device.device_buffer(1, SIZE)
    parts = [device.device_buffer(1, SIZE) for _ in range(3)]
    collective = device.new_stream("collective")
    collective.fill(total, 0)
    for number, part in enumerate(parts):
        producer, produced = device.new_stream("producer"), device.new_event()
        producer.sleep(2.0)
        producer.fill(part, number + 1)
        producer.record(produced)
        collective.wait(produced)
        collective.add(total, part)
    assert collective.read(total) == _bytes(6), "a part was added before it was there"


@pytest.mark.stream
def test_recorded_buffer_outlives_its_owner(device: Streams) -> None:
    """The side stream is recorded, so the memory is handed out again only when it is done."""
    home, side = device.new_stream("home"), device.new_stream("side")
    result = device.device_buffer(1, SIZE)
    for turn in range(TURNS):
        buffer, filled = device.device_buffer(1, SIZE, home), device.new_event()
        home.fill(buffer, turn + 1)
        home.record(filled)
        side.wait(filled)
        side.sleep(1.0)
        side.copy(result, buffer, PAIR)
        buffer.record_stream(side)
        buffer.free()
    assert side.read(result) == _bytes(TURNS), "memory was handed out while it was read"


TRUTH = {name: "healthy" for name in dir() if name.startswith("test_")}
