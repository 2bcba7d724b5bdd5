"""The ``StreamRuntime`` of CUDA through torch: what the probes ask, answered without their hearing of it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from triage_bot.lab.runtime import StreamInfo, StreamObserver
from triage_bot.lab.torch_runtime.device import Device
from triage_bot.lab.torch_runtime.hooks import listen
from triage_bot.lab.torch_runtime.launches import follow_launches
from triage_bot.lab.torch_runtime.notices import Notices


@dataclass(frozen=True)
class DrainedStream:
    """What draining one stream took."""

    handle: int
    seconds: float


class TorchRuntime:
    """See ``StreamRuntime``. Handles are the driver's pointers; ``-i`` is the default stream of device ``i``."""

    name = "cuda"
    loads_lazily = True

    def __init__(self, device: Device) -> None:
        self._device = device
        self._notices = Notices(device)
        self._missing = list(listen(self._notices, device))
        self._following = False
        device.when_ready(self._prepare)

    def environment(self) -> Mapping[str, str]:
        """See ``StreamRuntime``."""
        with self._notices.hushed():
            return self._device.describe()

    def begin(self, observer: StreamObserver, *, ordinal: int, launches: bool) -> None:
        """See ``StreamRuntime``. A real device draws nothing from ``ordinal``."""
        if launches and not self._following:
            self._missing.extend(follow_launches(self._notices, self._device))
            self._following = True
        self._notices.begin(observer, launches)

    def streams(self) -> Sequence[StreamInfo]:
        """See ``StreamRuntime``."""
        return self._notices.used()

    def busy(self) -> Collection[int]:
        """See ``StreamRuntime``. Nothing while a graph is captured: asking would break the capture."""
        if self.capturing():
            return ()
        with self._notices.hushed():
            known = dict.fromkeys([*self._notices.known(), *self._device.defaults()])
            found = [handle for handle in known if not self._device.complete(handle)]
        for handle in found:
            self._notices.busy(handle)
        return found

    def drain(self, streams: Collection[int]) -> Sequence[DrainedStream]:
        """See ``StreamRuntime``."""
        drained = []
        for handle in streams:
            begun = time.perf_counter()
            with self._aside():
                self._device.wait_stream(handle)
            drained.append(DrainedStream(handle, time.perf_counter() - begun))
        return drained

    def synchronize(self) -> None:
        """See ``StreamRuntime``."""
        with self._aside():
            self._device.wait_all()

    def stall(self, stream: int, seconds: float) -> None:
        """See ``StreamRuntime``."""
        with self._aside():
            self._device.spin(stream, seconds)

    def stall_host(self, seconds: float) -> None:
        """See ``StreamRuntime``."""
        time.sleep(seconds)

    def capturing(self) -> bool:
        """See ``StreamRuntime``."""
        return self._notices.capturing or self._device.capturing()

    def gaps(self) -> Sequence[str]:
        """See ``StreamRuntime``."""
        return [*(f"hook-missing:{name}" for name in self._missing), *self._notices.gaps()]

    def _prepare(self) -> None:
        with self._aside():
            self._device.prepare()

    @contextlib.contextmanager
    def _aside(self) -> Iterator[None]:
        """Act on the device without being heard. One that has failed tells the test so at the test's own next call."""
        with self._notices.hushed(), contextlib.suppress(RuntimeError):
            yield
