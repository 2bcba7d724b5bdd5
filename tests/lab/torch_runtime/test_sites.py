"""Which variable a stream was assigned to, read from source text."""

from __future__ import annotations

import sys

import pytest

from triage_bot.lab.torch_runtime.sites import CreationSite, assigned_variable, creation_site


@pytest.mark.parametrize(
    ("source", "variable"),
    [
        ("compute = torch.cuda.Stream()", "compute"),
        ("compute: Stream = torch.cuda.Stream(priority=-1)", "compute"),
        ("self.store_stream = torch.cuda.Stream()", "store_stream"),
        ("self.store_stream = stream or torch.cuda.Stream()", "store_stream"),
        ("s = torch.cuda.Stream() if gpu else None", "s"),
        ("s = torch.cuda.Stream(\n    device=torch.device('cuda'),\n)", "s"),
        ("if (s := torch.cuda.Stream()): pass", "s"),
        ("with torch.cuda.Stream() as s: pass", "s"),
        ("s = ExternalStream(pointer)", "s"),
        ("streams = [torch.cuda.Stream() for _ in range(3)]", ""),
        ("streams[0] = torch.cuda.Stream()", ""),
        ("worker = Worker(torch.cuda.Stream())", ""),
        ("worker = Worker(stream=torch.cuda.Stream())", ""),
        ("return_it(torch.cuda.Stream())", ""),
        ("this is not Python", ""),
    ],
)
def test_the_variable_of_a_creation_is_the_name_it_is_given(source: str, variable: str) -> None:
    assert assigned_variable(source, 1) == variable


def test_two_creations_on_one_line_are_told_apart_by_their_column() -> None:
    source = "load, store = torch.cuda.Stream(), torch.cuda.Stream()"
    assert assigned_variable(source, 1, column=14) == "load"
    assert assigned_variable(source, 1, column=35) == "store"


def test_two_creations_on_one_line_stay_nameless_without_a_column() -> None:
    assert assigned_variable("load, store = torch.cuda.Stream(), torch.cuda.Stream()", 1) == ""


def test_another_line_is_another_statement() -> None:
    assert assigned_variable("a = Stream()\nb = Stream()\n", 2) == "b"


class Stream:
    """Looks where it is created."""

    def __init__(self) -> None:
        self.site = creation_site(sys._getframe(1), skip=("/nowhere/",))


def test_the_site_is_the_line_that_created_the_stream() -> None:
    copy_stream = Stream()
    assert copy_stream.site.variable == "copy_stream"
    assert copy_stream.site.file == __file__
    assert copy_stream.site.function == "test_the_site_is_the_line_that_created_the_stream"
    assert copy_stream.site.line > 0


def test_a_helper_that_hides_itself_creates_for_its_caller() -> None:
    def new_stream() -> Stream:
        __tracebackhide__ = True
        return Stream()

    load_stream = new_stream()
    assert load_stream.site.variable == "load_stream"
    assert load_stream.site.function == "test_a_helper_that_hides_itself_creates_for_its_caller"


def test_frames_of_skipped_directories_are_passed_over() -> None:
    assert creation_site(sys._getframe(), skip=("/",)) == CreationSite("", "", 0, "")


@pytest.mark.skipif(sys.version_info < (3, 11), reason="frames tell no column before Python 3.11")
def test_a_pair_of_streams_gets_both_names() -> None:
    load, store = Stream(), Stream()
    assert (load.site.variable, store.site.variable) == ("load", "store")
