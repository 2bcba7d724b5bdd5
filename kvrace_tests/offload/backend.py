"""A KV-cache offload backend: blocks go between device and page-locked host memory, behind the caller's back.

The ordering contract:

- ``launch_copy`` returns at once; a background thread enqueues the copy on a stream of its own, one for loads and one
  for stores, both of low priority.
- The copy runs after the point that ``wait_event`` has when it is handed over, so a caller records it after the compute
  that writes the blocks (store) or reads them (load), and must not record it again before the copy is enqueued.
- ``events_list[event_idx]`` is filled when the copy is *enqueued*, not when it is done: wait for the slot, then for the
  event in it.
- A background thread that died is reported by the next ``launch_copy`` and by ``wait_enqueued``, which does not wait
  for it.
"""

from __future__ import annotations

from collections.abc import Sequence

from kvrace_tests.offload.blocks import TransferPlan, plan_transfer
from kvrace_tests.offload.ordering import KEEP_ALL, Edge
from kvrace_tests.offload.streams import DeviceBuffer, Event, HostBuffer, Priority, SourceOrder, Stream, Streams

EventSlots = list["Event | None"]
"""One slot a copy, filled when it is enqueued."""

ENQUEUE_TIMEOUT = 10.0
"""Seconds after which a copy that was not enqueued is given up."""


class CopierDiedError(RuntimeError):
    """The background thread ended on an error; copies given to it are lost."""


class OffloadBackend:
    """Copies blocks between one device buffer and one host buffer."""

    def __init__(
        self, device: Streams, device_blocks: DeviceBuffer, host_blocks: HostBuffer, keep: frozenset[Edge] = KEEP_ALL
    ) -> None:
        self._device = device
        self._device_blocks = device_blocks
        self._host_blocks = host_blocks
        self._keep = keep
        self._load_stream = device.new_stream("load_stream", Priority.LOW)
        self._store_stream = device.new_stream("store_stream", Priority.LOW)
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
        edge = Edge.STORE_AFTER_COMPUTE_WRITE if is_store else Edge.LOAD_AFTER_COMPUTE_READ
        if wait_event is not None and edge in self._keep:
            stream.wait(wait_event)
        self._copy(stream, plan, is_store)
        done = self._device.new_event()
        stream.record(done)
        events_list[event_idx] = done

    def _copy(self, stream: Stream, plan: TransferPlan, is_store: bool) -> None:
        if is_store:
            stream.copy(self._host_blocks, self._device_blocks, plan.pairs, SourceOrder.STREAM)
        else:
            stream.copy(self._device_blocks, self._host_blocks, plan.pairs, SourceOrder.STREAM)

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

    def close(self) -> None:
        """Finish what was handed over and end the background thread; its copies may still run on the device."""
        self._copier.close()
