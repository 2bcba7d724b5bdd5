"""Copies blocks of a cache between a GPU and pinned memory from a background thread, as an LLM server offloads them.

``launch_copy`` returns at once. The event of a copy appears in the caller's list when the copy is *enqueued*.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from kvrace_tests.harness.cuda.batch import batch_copy

Events = list["torch.cuda.Event | None"]


@dataclass
class _Job:
    pairs: list[tuple[int, int]]
    is_store: bool
    event_idx: int
    events_list: Events
    wait_event: torch.cuda.Event | None


class BlockCopier:
    """Moves rows of ``gpu`` to rows of ``cpu`` (stores) and back (loads), each on a low-priority stream of its own."""

    def __init__(self, gpu: torch.Tensor, cpu: torch.Tensor, *, ordered: bool = True) -> None:
        """``ordered=False`` is the defect: it ignores the events that copies should wait for."""
        self._gpu, self._cpu = gpu, cpu
        self._ordered = ordered
        lowest, _ = torch.cuda.Stream.priority_range()
        self.load_stream = torch.cuda.Stream(priority=lowest)
        self.store_stream = torch.cuda.Stream(priority=lowest)
        self._batch_copy = batch_copy()
        self._jobs: queue.Queue[_Job | None] = queue.Queue()
        self._thread = threading.Thread(target=self._run, name="block-copier", daemon=True)
        self._thread.start()

    def launch_copy(  # noqa: PLR0913, PLR0917 - the signature that callers of such backends know
        self,
        src_blocks: Sequence[int],
        dst_blocks: Sequence[int],
        is_store: bool,
        event_idx: int,
        events_list: Events,
        wait_event: torch.cuda.Event | None = None,
    ) -> None:
        """Copy blocks once ``wait_event`` has happened; ``events_list[event_idx]`` then tells when they are copied."""
        pairs = list(zip(src_blocks, dst_blocks, strict=True))
        self._jobs.put(_Job(pairs, is_store, event_idx, events_list, wait_event))

    def close(self) -> None:
        """Enqueue what was handed over and end the thread."""
        self._jobs.put(None)
        self._thread.join()

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            stream = self.store_stream if job.is_store else self.load_stream
            if job.wait_event is not None and self._ordered:
                stream.wait_event(job.wait_event)
            self._copy(job, stream)
            job.events_list[job.event_idx] = stream.record_event()

    def _copy(self, job: _Job, stream: torch.cuda.Stream) -> None:
        source, target = (self._gpu, self._cpu) if job.is_store else (self._cpu, self._gpu)
        if self._batch_copy is None:
            with torch.cuda.stream(stream):
                for src, dst in job.pairs:
                    target[dst].copy_(source[src], non_blocking=True)
            return
        size = source[0].nbytes
        copies = [(target.data_ptr() + dst * size, source.data_ptr() + src * size, size) for src, dst in job.pairs]
        self._batch_copy(copies, "stream", stream.cuda_stream)
