"""The ``Streams`` of a CUDA device, through torch: the only place of the suite that imports it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from functools import cached_property
from importlib.util import find_spec

import torch

from kvrace_tests.harness.calibration import measure
from kvrace_tests.harness.cuda.batch import BatchCopy, batch_copy
from kvrace_tests.harness.cuda.memory import CudaBuffer
from kvrace_tests.harness.cuda.streams import CudaEvent, CudaStream, DeviceMemory, torch_stream
from kvrace_tests.harness.cuda.worker import ThreadWorker
from kvrace_tests.offload.streams import IntraKernel, Priority, SourceOrder, Stream, Worker

# CUDA's default priority is its lowest; a lower number goes first.
_PRIORITIES = {Priority.LOW: 0, Priority.NORMAL: -1, Priority.HIGH: -2}
_MEASURED_CYCLES = 2_000_000
_MEASUREMENTS = 5
_POLL_SECONDS = 0.0002


def available() -> bool:
    """Whether there is a CUDA device that torch can use."""
    return bool(torch.cuda.is_available())


class KernelRace:
    """See ``IntraKernel``."""

    def __init__(self, count: Callable[..., None], blocks: int) -> None:
        self._count, self._blocks = count, blocks

    def lost_updates(self, rounds: int, *, ordered: bool) -> int:
        """See ``IntraKernel``."""
        counters = torch.zeros(rounds, dtype=torch.int32, device="cuda")
        for counter in counters:
            self._count(counter, atomic=ordered)
        return int((counters != self._blocks).sum())


class CudaStreams:
    """The current CUDA device. See ``Streams``."""

    name = "cuda"

    def __init__(self, *, batched: bool = True) -> None:
        """Copies go to the driver in batches if it has the call, or else, unless ``batched``, each through torch."""
        self.batch_copy: BatchCopy | None = batch_copy() if batched else None
        self.capturing = False
        self.default_stream = CudaStream("default", torch.cuda.default_stream(), self)
        self.cycles_per_ms = _measure_cycles_per_ms()
        # One stream for all that is done beforehand, under a name of its own: a tool that slows streams one by one,
        # by their names, sees it too.
        warm_up_stream = self.new_stream("warm-up")
        self._load_kernels(warm_up_stream)
        self.window = measure(self, warm_up_stream)

    @property
    def window_ms(self) -> float:
        """See ``Streams``."""
        return self.window.ms

    @cached_property
    def unordered_sources(self) -> bool:
        """See ``Streams``. Drivers may read a source early and need not, so it is tried once."""
        if self.batch_copy is None:
            return False
        source, target = self.device_buffer(2, 64), self.host_buffer(2, 64)
        writer, reader = self.new_stream("probe-writer"), self.new_stream("probe-reader")
        writer.fill(source, 0)
        writer.sleep(self.window_ms)
        writer.fill(source, 1)
        written = self.new_event()
        writer.record(written)
        reader.wait(written)
        reader.copy(target, source, [(0, 0), (1, 1)], SourceOrder.ANY)
        reader.synchronize()
        early = target.peek(0)[0] == 0
        target.free()
        return early

    def new_stream(self, name: str, priority: Priority = Priority.NORMAL) -> CudaStream:
        """See ``Streams``."""
        __tracebackhide__ = True
        return CudaStream(name, torch.cuda.Stream(priority=_PRIORITIES[priority]), self)

    def new_event(self) -> CudaEvent:
        """See ``Streams``."""
        return CudaEvent()

    def device_buffer(self, blocks: int, block_bytes: int, home: Stream | None = None) -> DeviceMemory:
        """See ``Streams``."""
        with torch.cuda.stream(torch_stream(home or self.default_stream)):
            return DeviceMemory(torch.empty((blocks, block_bytes), dtype=torch.uint8, device="cuda"), pinned=False)

    def host_buffer(self, blocks: int, block_bytes: int) -> CudaBuffer:
        """See ``Streams``."""
        return CudaBuffer(torch.zeros((blocks, block_bytes), dtype=torch.uint8), pinned=True)

    @contextlib.contextmanager
    def capture(self, stream: Stream) -> Iterator[torch.cuda.CUDAGraph]:
        """See ``Streams``. Other threads may go on meanwhile."""
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=torch_stream(stream), capture_error_mode="thread_local"):
            self.capturing = True
            try:
                yield graph
            finally:
                self.capturing = False

    def synchronize(self) -> None:
        """See ``Streams``."""
        torch.cuda.synchronize()

    def worker(self, name: str) -> Worker:
        """See ``Streams``."""
        return ThreadWorker(name)

    def wait_until(self, condition: Callable[[], bool], timeout: float) -> bool:
        """See ``Streams``."""
        deadline = time.monotonic() + timeout
        while not condition():
            if time.monotonic() > deadline:
                return condition()
            time.sleep(_POLL_SECONDS)
        return True

    def mark(self, text: str) -> None:
        """See ``Streams``. The note is there for a profiler."""
        torch.cuda.nvtx.mark(text)

    def now(self) -> float:
        """See ``Streams``."""
        return time.monotonic()

    def host_sleep(self, seconds: float) -> None:
        """See ``Streams``."""
        time.sleep(seconds)

    def intra_kernel(self) -> IntraKernel | None:
        """See ``Streams``. The kernel is written in Triton."""
        if find_spec("triton") is None:
            return None
        from kvrace_tests.harness.cuda import kernel  # noqa: PLC0415 - an optional package

        return KernelRace(kernel.count, kernel.BLOCKS)

    def _load_kernels(self, stream: CudaStream) -> None:
        """Use each operation once: a kernel's first use synchronizes the device, which would hide a race."""
        device, host = self.device_buffer(2, 64), self.host_buffer(2, 64)
        for one in (stream, self.default_stream):
            one.fill(device, 0)
            one.add(device, device)
            one.copy(host, device, [(0, 0), (1, 1)])
            one.copy(device, host, [(0, 0), (1, 1)])
            one.copy(device, device, [(0, 1)])
            one.read(device)
        self.synchronize()
        host.free()
        device.free()


def _measure_cycles_per_ms() -> float:
    torch.cuda._sleep(_MEASURED_CYCLES // 4)  # loads the kernel and wakes the clock
    # A neighbour on the device makes a sleep look longer, never shorter; and a rate too low would close every window.
    return max(_cycles_per_ms_once() for _ in range(_MEASUREMENTS))


def _cycles_per_ms_once() -> float:
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    torch.cuda._sleep(_MEASURED_CYCLES)
    end.record()
    end.synchronize()
    return float(_MEASURED_CYCLES / begin.elapsed_time(end))
