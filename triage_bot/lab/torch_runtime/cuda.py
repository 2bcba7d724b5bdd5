"""A CUDA device through torch. Everything in here needs a real one; nothing in here decides."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Collection, Mapping

import torch

_WARM_UP_CYCLES = 500_000
_MEASUREMENTS = 3
_MEASURED_CYCLES = 2_000_000  # about 1 ms on a data-centre GPU, 20 ms on one that counts slowly


class CudaDevice:
    """All CUDA devices of this process. Must be made before the hooks are set, because it keeps torch's own calls."""

    def __init__(self) -> None:
        self._sleep: Callable[[int], None] = torch._C._cuda_sleep
        self._driver = ctypes.CDLL("libcuda.so.1")
        self._device_of: dict[int, int] = {}
        self._streams: dict[int, torch.cuda.Stream] = {}
        self._cycles_per_second = 0.0

    def handle(self, pointer: int) -> int:
        """See ``Device``. torch makes a stream's device current before it tells of the stream."""
        if pointer == 0:
            return -int(torch.cuda.current_device())
        self._device_of.setdefault(pointer, torch.cuda.current_device())
        return pointer

    def current(self, device: int | None = None) -> int:
        """See ``Device``."""
        index = torch.cuda.current_device() if device is None else device
        pointer = int(torch._C._cuda_getCurrentRawStream(index))
        if pointer:
            self._device_of.setdefault(pointer, index)
        return pointer or -index

    def defaults(self) -> Collection[int]:
        """See ``Device``. A device that was never used is left alone: asking it would create a context there."""
        if not torch.cuda.is_initialized():
            return ()
        return {-index for index in (torch.cuda.current_device(), *self._device_of.values())}

    def complete(self, handle: int) -> bool:
        """See ``Device``."""
        try:
            return bool(self._stream(handle).query())
        except RuntimeError:
            return True

    def wait_stream(self, handle: int) -> None:
        """See ``Device``."""
        self._stream(handle).synchronize()

    def wait_event(self, event: int) -> None:
        """See ``Device``. An error is left to torch, which waits for the same event right after."""
        self._driver.cuEventSynchronize(ctypes.c_void_p(event))

    def wait_device(self) -> None:
        """See ``Device``. torch makes the device current before it tells that it will wait for it."""
        torch.cuda.synchronize()

    def wait_all(self) -> None:
        """See ``Device``."""
        for handle in self.defaults():
            torch.cuda.synchronize(-handle)

    def spin(self, handle: int, seconds: float) -> None:
        """See ``Device``."""
        if not self._cycles_per_second:
            self.prepare()
        with torch.cuda.stream(self._stream(handle)):
            self._sleep(max(1, int(seconds * self._cycles_per_second)))

    def capturing(self) -> bool:
        """See ``Device``. Asking can itself be refused while another stream captures."""
        if not torch.cuda.is_initialized():
            return False
        try:
            return bool(torch.cuda.is_current_stream_capturing())
        except RuntimeError:
            return True

    def when_ready(self, prepare: Callable[[], None]) -> None:
        """See ``Device``."""
        torch.cuda._lazy_call(prepare)

    def prepare(self) -> None:
        """See ``Device``. The kernel counts cycles of a clock that differs from device to device: measured once."""
        self._sleep(_WARM_UP_CYCLES)
        # A neighbour on the device makes a sleep look longer, never shorter.
        self._cycles_per_second = max(self._measured_rate() for _ in range(_MEASUREMENTS))

    def _measured_rate(self) -> float:
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        self._sleep(_MEASURED_CYCLES)
        end.record()
        end.synchronize()
        return float(_MEASURED_CYCLES / (begin.elapsed_time(end) / 1000))

    @property
    def cycles_per_second(self) -> float:
        """Rate of the clock that the spin kernel counts; 0 until measured."""
        return self._cycles_per_second

    def describe(self) -> Mapping[str, str]:
        """See ``Device``."""
        return {
            "device": str(torch.cuda.get_device_name()),
            "driver": driver_version(),
            "torch": str(torch.__version__),
        }

    def _stream(self, handle: int) -> torch.cuda.Stream:
        if handle not in self._streams:
            self._streams[handle] = (
                torch.cuda.ExternalStream(handle, device=self._device_of.get(handle))
                if handle > 0
                else torch.cuda.default_stream(-handle)
            )
        return self._streams[handle]


def driver_version() -> str:
    """Version of the NVIDIA driver as NVML tells it; empty where there is none. Initializes no CUDA."""
    try:
        nvml = ctypes.CDLL("libnvidia-ml.so.1")
    except OSError:
        return ""
    text = ctypes.create_string_buffer(96)
    ok = nvml.nvmlInit_v2() == 0 and nvml.nvmlSystemGetDriverVersion(text, ctypes.c_uint(len(text))) == 0
    return text.value.decode() if ok else ""
