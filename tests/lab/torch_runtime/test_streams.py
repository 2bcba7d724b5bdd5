"""Who owns a handle that a pool hands out again."""

from __future__ import annotations

from triage_bot.lab.torch_runtime.sites import CreationSite
from triage_bot.lab.torch_runtime.streams import StreamRegister

HANDLE = 0x51DE


def at(variable: str) -> CreationSite:
    return CreationSite(variable, "/suite/test_x.py", 7, "test_x")


class External:
    """A stand-in for the object that wraps a foreign stream."""


def test_the_latest_creation_owns_a_handle_and_the_earlier_use_stays_listed() -> None:
    register = StreamRegister()
    for variable in ("first", "second"):
        register.created(HANDLE, at(variable))
        register.use(HANDLE)
    assert [record.variable for record in register.used()] == ["first", "second"]


def test_a_stream_whose_creation_nobody_saw_has_no_site() -> None:
    register = StreamRegister()
    register.use(HANDLE)
    (record,) = register.used()
    assert (record.variable, record.file, record.line) == ("", "", 0)


def test_the_default_stream_of_each_device_is_called_default() -> None:
    register = StreamRegister()
    register.use(0)
    register.use(-1)
    assert [record.variable for record in register.used()] == ["default", "default"]


def test_wrapping_a_stream_of_ours_does_not_rename_it() -> None:
    register = StreamRegister()
    register.created(HANDLE, at("ours"))
    register.created(HANDLE, at("wrapper"), External())
    register.use(HANDLE)
    assert [record.variable for record in register.used()] == ["ours"]


def test_a_foreign_stream_is_not_asked_about_once_its_wrapper_is_gone() -> None:
    register = StreamRegister()
    wrapper = External()
    register.created(HANDLE, at("foreign"), wrapper)
    assert register.living() == [HANDLE]
    del wrapper
    assert register.living() == []
