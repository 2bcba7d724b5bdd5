"""Needs a torch build, of which the CPU one is enough: torch's callbacks are fired by hand, the device is a fake."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from importlib.util import find_spec

import pytest

collect_ignore_glob = [] if find_spec("torch") else ["test_*.py"]


class FakeDevice:
    """A device that notes what it is asked for."""

    def __init__(self) -> None:
        self.asked: list[object] = []
        self.current_handle = 0
        self.working: set[int] = set()
        self.captures = False
        self.failed = False

    def handle(self, pointer: int) -> int:
        return pointer

    def current(self, device: int | None = None) -> int:
        return self.current_handle

    def defaults(self) -> Collection[int]:
        return {0}

    def complete(self, handle: int) -> bool:
        self.asked.append(("complete", handle))
        return handle not in self.working

    def wait_stream(self, handle: int) -> None:
        self._raise_if_failed()
        self.asked.append(("wait_stream", handle))

    def wait_event(self, event: int) -> None:
        self.asked.append(("wait_event", event))

    def wait_device(self) -> None:
        self.asked.append("wait_device")

    def wait_all(self) -> None:
        self._raise_if_failed()
        self.asked.append("wait_all")

    def spin(self, handle: int, seconds: float) -> None:
        self._raise_if_failed()
        self.asked.append(("spin", handle, seconds))

    def capturing(self) -> bool:
        return self.captures

    def when_ready(self, prepare: Callable[[], None]) -> None:
        prepare()

    def prepare(self) -> None:
        self.asked.append("prepare")

    def _raise_if_failed(self) -> None:
        if self.failed:
            raise RuntimeError("CUDA error: an illegal memory access was encountered")

    def describe(self) -> Mapping[str, str]:
        return {"device": "fake"}


class Listener:
    """An observer that notes what it is told, and can act on it."""

    def __init__(self) -> None:
        self.told: list[object] = []
        self.threads: list[str] = []
        self.after_wait_do: Callable[[int], None] = lambda _stream: None

    def before_launch(self, stream: int) -> None:
        self.told.append(("before_launch", stream))
        self.threads.append(threading.current_thread().name)

    def after_launch(self, stream: int) -> None:
        self.told.append(("after_launch", stream))

    def after_wait(self, stream: int) -> None:
        self.told.append(("after_wait", stream))
        self.after_wait_do(stream)

    def after_host_sync(self) -> None:
        self.told.append("after_host_sync")

    def after_query(self, subject: int, done: bool) -> None:
        self.told.append(("after_query", done))


@pytest.fixture
def device() -> FakeDevice:
    return FakeDevice()


@pytest.fixture
def listener() -> Listener:
    return Listener()


@pytest.fixture(autouse=True)
def hooks_taken_back(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The runtime never takes its hooks back, so that one test must not hear another's."""
    import torch  # noqa: PLC0415 - this file is also read where there is no torch
    from torch.cuda import _gpu_trace  # noqa: PLC0415 - as above
    from torch.utils._python_dispatch import (  # noqa: PLC0415 - as above
        _get_current_dispatch_mode,
        _get_current_dispatch_mode_stack,
    )

    for owner, names in (
        (torch.cuda.Stream, ("__new__", "query")),
        (torch.cuda.Event, ("query",)),
        (torch.cuda.CUDAGraph, ("capture_begin", "capture_end", "replay")),
        (torch.cuda, ("set_stream",)),
        (threading.Thread, ("start",)),
    ):
        for name in names:
            monkeypatch.setattr(owner, name, owner.__dict__[name])
    registries = [value for name, value in vars(_gpu_trace).items() if name.endswith("Callbacks")]
    modes = len(_get_current_dispatch_mode_stack())
    yield
    for registry in registries:
        registry.callback_list.clear()
    while len(_get_current_dispatch_mode_stack()) > modes:
        _get_current_dispatch_mode().__exit__(None, None, None)
