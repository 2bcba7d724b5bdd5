"""While an exception clears the stack, torch's trace is silent: it would drop the exception."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Callable, Iterator

import pytest

from triage_bot.lab.torch_runtime.unwinding import spare_exceptions, trace_switch

pytestmark = [
    pytest.mark.torch,
    pytest.mark.skipif(sys.version_info < (3, 12), reason="the interpreter does not tell when it clears the stack"),
]


class Held:
    """Held by a loop alone; notes whether the trace was on when it died, as it would be told of device memory."""

    def __init__(self, noted: list[bool]) -> None:
        switch = trace_switch()
        assert switch is not None
        self.switch = switch
        self.noted = noted
        self.left = 1

    def __iter__(self) -> Held:
        return self

    def __next__(self) -> int:
        if not self.left:
            raise StopIteration
        self.left -= 1
        return self.left

    def __del__(self) -> None:
        self.noted.append(self.switch.value)


def leaves_the_function(noted: list[bool]) -> None:
    for _ in Held(noted):
        raise ValueError("left")


def is_raised_again(noted: list[bool]) -> None:
    for _ in Held(noted):
        with contextlib.nullcontext():
            raise ValueError("raised again")


def stays_in_the_function(noted: list[bool]) -> None:
    try:
        for _ in Held(noted):
            raise ValueError("stayed")
    except ValueError:
        return


def is_raised_below(noted: list[bool]) -> None:
    for _ in Held(noted):
        leaves_the_function([])


@pytest.fixture
def spared() -> Iterator[None]:
    import torch  # noqa: PLC0415 - this file is also read where there is no torch

    torch._C._activate_gpu_trace()
    before = {tool: sys.monitoring.get_tool(tool) for tool in range(6)}
    spare_exceptions()
    yield
    for tool, name in before.items():
        if sys.monitoring.get_tool(tool) != name:
            sys.monitoring.set_events(tool, 0)
            sys.monitoring.free_tool_id(tool)


@pytest.mark.usefixtures("spared")
@pytest.mark.parametrize("program", [leaves_the_function, is_raised_again, stays_in_the_function, is_raised_below])
def test_what_an_exception_destroys_is_not_told_and_the_trace_is_on_again_after_it(
    program: Callable[[list[bool]], None],
) -> None:
    noted: list[bool] = []
    with contextlib.suppress(ValueError):
        program(noted)
    assert noted == [False]
    switch = trace_switch()
    assert switch is not None
    assert switch.value


@pytest.mark.usefixtures("spared")
def test_what_ends_by_itself_is_told() -> None:
    noted: list[bool] = []
    for _ in Held(noted):
        pass
    assert noted == [True]


@pytest.mark.usefixtures("spared")
def test_an_exception_that_python_code_never_sees_again_leaves_the_trace_on() -> None:
    class Odd:
        @property
        def value(self) -> int:
            raise AttributeError("no value")

    assert not hasattr(Odd(), "value")
    switch = trace_switch()
    assert switch is not None
    assert switch.value


@pytest.mark.usefixtures("spared")
def test_generators_coroutines_and_context_managers_leave_the_trace_on() -> None:
    async def counted() -> AsyncIterator[int]:
        yield 1

    async def consumed() -> int:
        return sum([number async for number in counted()])

    @contextlib.contextmanager
    def swallowing() -> Iterator[None]:
        with contextlib.suppress(ValueError):
            yield

    def numbers() -> Iterator[int]:
        yield 1
        yield 2

    switch = trace_switch()
    assert switch is not None
    assert asyncio.run(consumed()) == 1
    assert switch.value
    with swallowing():
        raise ValueError("swallowed")
    assert switch.value
    begun = numbers()
    next(begun)
    begun.close()  # type: ignore[attr-defined]  # a generator, whatever it promises
    assert switch.value
    assert next(iter(()), None) is None
    assert [*map(int, ["1"])] == [1]
    assert switch.value
