"""Sets torch's hooks: its trace of events and synchronizations, and wraps of the few calls that the trace leaves out.

The trace tells of a host wait *before* it happens; so the callback itself waits first, and tells then.
Callbacks cannot be taken back and torch swallows their exceptions; neither matters to a process that runs one trial.
"""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from triage_bot.lab.torch_runtime.device import Device
from triage_bot.lab.torch_runtime.notices import Notices
from triage_bot.lab.torch_runtime.sites import creation_site
from triage_bot.lab.torch_runtime.unwinding import spare_exceptions

Wrapper = Callable[..., Any]
"""Takes the original call and its arguments."""

_OWN_CODE = (str(Path(torch.__file__).parent) + "/", str(Path(__file__).parent) + "/")


def listen(notices: Notices, device: Device) -> tuple[str, ...]:
    """Set every hook that this torch has; returns the names of those it lacks."""
    missing = _trace(notices, device)
    for owner, name, wrapper in (
        (torch.cuda.Stream, "__new__", _creating(notices)),
        (torch.cuda, "set_stream", _selecting(notices)),
        (torch.cuda.Event, "query", _querying(notices)),
        (torch.cuda.Stream, "query", _querying(notices)),
        (torch.cuda.CUDAGraph, "capture_begin", _capture_beginning(notices)),
        (torch.cuda.CUDAGraph, "capture_end", _capture_ending(notices)),
    ):
        if not wrap(owner, name, wrapper):
            missing.append(f"{getattr(owner, '__name__', owner)}.{name}")
    return tuple(missing)


def wrap(owner: Any, name: str, wrapper: Wrapper) -> bool:
    """Replace ``owner.name`` by ``wrapper``, which gets the original first; False when there is nothing to replace."""
    original = getattr(owner, name, None)
    if original is None:
        return False

    @functools.wraps(original)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return wrapper(original, *args, **kwargs)

    setattr(owner, name, staticmethod(wrapped) if name == "__new__" else wrapped)
    return True


def _trace(notices: Notices, device: Device) -> list[str]:
    callbacks: dict[str, Callable[..., None]] = {
        "event_wait": lambda _event, stream: notices.wait_entered(stream),
        "event_record": lambda _event, stream: notices.event_recorded(stream),
        "event_synchronization": lambda event: notices.host_waits(lambda: device.wait_event(event)),
        "stream_synchronization": lambda stream: notices.host_waits(lambda: device.wait_stream(device.handle(stream))),
        "device_synchronization": lambda: notices.host_waits(device.wait_device),
        "memory_allocation": lambda _pointer: notices.memory_allocated(),
    }
    activate = getattr(torch._C, "_activate_gpu_trace", None)
    try:
        trace = importlib.import_module("torch.cuda._gpu_trace")
    except ImportError:
        trace = None
    missing = []
    for name, callback in callbacks.items():
        register = getattr(trace, f"register_callback_for_{name}", None)
        if activate is None or register is None:
            missing.append(name)
        else:
            register(callback)
    if activate is not None:
        activate()
        spare_exceptions()
    return missing


def _creating(notices: Notices) -> Wrapper:
    def create(original: Callable[..., Any], cls: type, *args: Any, **kwargs: Any) -> Any:
        stream = original(cls, *args, **kwargs)
        # torch also builds such an object whenever it hands out a stream that exists: by id, never by pointer.
        if "stream_id" not in kwargs:
            external = stream if "stream_ptr" in kwargs else None
            notices.stream_created(stream.cuda_stream, creation_site(sys._getframe(), _OWN_CODE), external)
        return stream

    return create


def _selecting(notices: Notices) -> Wrapper:
    def select(original: Callable[..., Any], stream: Any) -> None:
        original(stream)
        if stream is not None:
            notices.stream_selected(stream.cuda_stream)

    return select


def _querying(notices: Notices) -> Wrapper:
    def query(original: Callable[..., bool], self: Any) -> bool:
        done = original(self)
        notices.host_asked(id(self), done)
        if done:
            notices.host_waited()
        return done

    return query


def _capture_beginning(notices: Notices) -> Wrapper:
    def begin(original: Callable[..., None], self: Any, *args: Any, **kwargs: Any) -> None:
        # Announced first: torch itself waits and allocates on the way in.
        notices.capture_begun()
        try:
            original(self, *args, **kwargs)
        except BaseException:
            notices.capture_ended()
            raise

    return begin


def _capture_ending(notices: Notices) -> Wrapper:
    def end(original: Callable[..., None], self: Any, *args: Any, **kwargs: Any) -> None:
        try:
            original(self, *args, **kwargs)
        finally:
            notices.capture_ended()

    return end
