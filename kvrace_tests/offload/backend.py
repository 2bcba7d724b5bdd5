"""A KV-cache offload backend: blocks go between device and page-locked host memory, behind the caller's back.

The ordering contract:

- ``launch_copy`` returns at once; a background thread enqueues the copy on a stream of its own, one for loads and one
  for stores, both of low priority.
- The copy runs after the point that ``wait_event`` has when it is handed over, so a caller records it after the compute
  that writes the blocks (store) or reads them (load), and must not record it again before the copy is enqueued.
- ``events_list[event_idx]`` is filled when the copy is *enqueued*, not when it is done: wait for the slot, then for the
  event in it.
- Each other method says what it orders; ``keep`` names the edges that this backend keeps, all of them unless a test
  wants to see the hazard.
- ``link_ms`` stands for a slow link: how long each background copy occupies its stream before it moves anything.
- A background thread that died is reported by the next ``launch_copy`` and by ``wait_enqueued``, which does not wait
  for it.
"""

from __future__ import annotations

from collections.abc import Sequence

from kvrace_tests.offload.blocks import TransferPlan, plan_transfer
from kvrace_tests.offload.ordering import KEEP_ALL, Edge
from kvrace_tests.offload.streams import DeviceBuffer, Event, Graph, HostBuffer, Priority, SourceOrder, Stream, Streams

EventSlots = list["Event | None"]
"""One slot a copy, filled when it is enqueued."""

ENQUEUE_TIMEOUT = 10.0
"""Seconds after which a copy that was not enqueued is given up."""


class CopierDiedError(RuntimeError):
    """The background thread ended on an error; copies given to it are lost."""


class OffloadBackend:
    """Copies blocks between one device buffer and one host buffer."""

    def __init__(
        self,
        device: Streams,
        device_blocks: DeviceBuffer,
        host_blocks: HostBuffer,
        keep: frozenset[Edge] = KEEP_ALL,
        *,
        link_ms: float = 0.0,
    ) -> None:
        self._device = device
        self._device_blocks = device_blocks
        self._host_blocks = host_blocks
        self._keep = keep
        self._link_ms = link_ms
        self._load_stream = device.new_stream("load_stream", Priority.LOW)
        self._store_stream = device.new_stream("store_stream", Priority.LOW)
        self._shared_event = device.new_event()
        self._copier = device.worker("kv-copier")

    def launch_copy(  # noqa: PLR0913, PLR0917 - the signature that callers of such backends know
        self,
        src_blocks: Sequence[int],
        dst_blocks: Sequence[int],
        is_store: bool,
        event_idx: int,
        events_list: EventSlots,
        wait_event: Event | None,
    ) -> None:
        """Copy ``src_blocks`` to ``dst_blocks``; a store goes from the device to the host, a load comes back."""
        device, host = self._device_blocks.blocks, self._host_blocks.blocks
        plan = plan_transfer(
            src_blocks,
            dst_blocks,
            source_blocks=device if is_store else host,
            target_blocks=host if is_store else device,
        )
        self._raise_if_dead()
        self._copier.submit(lambda: self._enqueue(plan, is_store, event_idx, events_list, wait_event))

    def _enqueue(
        self, plan: TransferPlan, is_store: bool, event_idx: int, events_list: EventSlots, wait_event: Event | None
    ) -> None:
        stream = self._store_stream if is_store else self._load_stream
        if wait_event is not None:
            self._order(stream, wait_event, is_store)
        self._copy(stream, plan, is_store)
        done = self._device.new_event()
        stream.record(done)
        events_list[event_idx] = done

    def _order(self, stream: Stream, event: Event, is_store: bool) -> None:
        if is_store and Edge.STORE_AFTER_COMPUTE_WRITE in self._keep:
            stream.wait(event)
        if not is_store and Edge.LOAD_AFTER_COMPUTE_READ in self._keep:
            stream.wait(event)

    def _copy(self, stream: Stream, plan: TransferPlan, is_store: bool) -> None:
        if self._link_ms:
            stream.sleep(self._link_ms)
        if is_store:
            stream.copy(self._host_blocks, self._device_blocks, plan.pairs)
        else:
            stream.copy(self._device_blocks, self._host_blocks, plan.pairs)

    def wait_enqueued(self, events_list: EventSlots, event_idx: int, timeout: float = ENQUEUE_TIMEOUT) -> Event:
        """The event of a copy, once it is enqueued. Raises at once when the copier is dead, else after ``timeout``."""
        self._device.wait_until(lambda: events_list[event_idx] is not None or self._copier.error is not None, timeout)
        event = events_list[event_idx]
        if event is None:
            self._raise_if_dead()
            raise TimeoutError(f"copy {event_idx} was not enqueued within {timeout:g} s")
        return event

    def _raise_if_dead(self) -> None:
        if self._copier.error is not None:
            raise CopierDiedError(f"the copier ended on {self._copier.error!r}") from self._copier.error

    def point(self, stream: Stream) -> Event:
        """The end of ``stream`` as an event that can be handed over: nobody else ever records it."""
        event = self._device.new_event() if Edge.HANDOVER_OWN_EVENT in self._keep else self._shared_event
        stream.record(event)
        return event

    def read_loaded(self, stream: Stream, loaded: Event) -> None:
        """``stream`` may read the blocks of a load from here on."""
        if Edge.COMPUTE_READ_AFTER_LOAD in self._keep:
            stream.wait(loaded)

    def reuse_stored(self, stream: Stream, stored: Event) -> None:
        """``stream`` may overwrite the blocks that a store saved."""
        if Edge.REUSE_AFTER_STORE_READ in self._keep:
            stream.wait(stored)

    def reassign(self, stream: Stream, loaded: Event) -> None:
        """``stream`` may write blocks that a load, which nobody needs any more, was filling."""
        if Edge.REASSIGN_AFTER_LOAD_WRITE in self._keep:
            stream.wait(loaded)

    def fetch(self, stored: Event, block: int) -> bytes:
        """A block of host memory, once its store is done. The host waits."""
        if Edge.HOST_READ_AFTER_STORE in self._keep:
            stored.synchronize()
        return self._host_blocks.peek(block)

    def upload(self, stream: Stream, staging: HostBuffer, value: int, block: int, previous: Event | None) -> Event:
        """Send a block through one staging block whose ``previous`` copy may still be under way. The host waits."""
        if previous is not None and Edge.STAGING_AFTER_COPY_READ in self._keep:
            previous.synchronize()
        staging.poke(0, value)
        stream.copy(self._device_blocks, staging, [(0, block)])
        sent = self._device.new_event()
        stream.record(sent)
        return sent

    def archive(self, written: Event, blocks: Sequence[int]) -> Event:
        """Store blocks that are written up to ``written``, as one batch and without the background thread."""
        stream = self._store_stream
        stream.wait(written)
        kept = Edge.SOURCE_IN_STREAM_ORDER in self._keep
        pairs = [(block, block) for block in blocks]
        stream.copy(self._host_blocks, self._device_blocks, pairs, SourceOrder.STREAM if kept else SourceOrder.ANY)
        stored = self._device.new_event()
        stream.record(stored)
        return stored

    def lend(self, buffer: DeviceBuffer, stream: Stream) -> None:
        """``stream`` will read a buffer that its owner frees meanwhile."""
        if Edge.FREE_AFTER_SIDE_READ in self._keep:
            buffer.record_stream(stream)

    def replay(self, stream: Stream, graph: Graph, ready: Event) -> None:
        """Replay a graph whose inputs are written up to ``ready``."""
        if Edge.REPLAY_AFTER_SIDE_WRITE in self._keep:
            stream.wait(ready)
        stream.replay(graph)

    def reduce(self, stream: Stream, target: DeviceBuffer, source: DeviceBuffer, produced: Event) -> None:
        """Add a partial sum, which is written up to ``produced``, on the collective's own stream."""
        if Edge.REDUCE_AFTER_PRODUCE in self._keep:
            stream.wait(produced)
        stream.add(target, source)

    def close(self) -> None:
        """Finish what was handed over and end the background thread; its copies may still run on the device."""
        self._copier.close()
