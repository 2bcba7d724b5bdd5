"""Names of streams: one for each place that creates them, the same in every trial."""

from __future__ import annotations

from pathlib import Path

from tests.lab.fake_device import FakeRuntime, FakeStream
from triage_bot.lab.names import StreamNames
from triage_bot.lab.suite import SuiteFiles

FILES = SuiteFiles(Path("/repo"), {Path("/repo/test_a.py")})


def names(*made: FakeStream) -> StreamNames:
    return StreamNames(FakeRuntime(list(made)), FILES)


def test_a_variable_names_a_stream_and_its_place_says_whose_it_is() -> None:
    test, code = names(
        FakeStream(1, "compute", "/repo/test_a.py", 3, "drive"),
        FakeStream(2, "copies", "/src/worker.py", 9, "__init__"),
    ).uses()
    assert (test.name, test.in_suite, test.created and test.created.file) == ("compute", True, "test_a.py")
    assert (code.name, code.in_suite, code.created and code.created.file) == ("copies", False, "/src/worker.py")


def test_without_a_variable_its_place_names_it_and_without_a_place_its_handle() -> None:
    uses = names(FakeStream(1, "", "/repo/test_a.py", 3, "drive"), FakeStream(255, "")).uses()
    assert [use.name for use in uses] == ["drive:3", "stream-0xff"]


def test_streams_of_one_place_share_a_name_and_have_a_turn_each_and_two_places_never_share() -> None:
    one = FakeStream(1, "stream", "/repo/test_a.py", 3, "drive")
    uses = names(one, one._replace(handle=2), one._replace(handle=3, line=8)).uses()
    assert [use.name for use in uses] == ["stream", "stream@drive:8", "stream#1", "stream#2"]


def test_any_two_of_eight_streams_of_one_place_can_be_told_apart() -> None:
    one = FakeStream(1, "stream", "/repo/test_a.py", 3, "drive")
    told = names(*(one._replace(handle=handle) for handle in range(1, 9)))
    turns = [use.name for use in told.uses()][1:]
    assert [[handle for handle in range(1, 9) if told.called(handle, turn)] for turn in turns] == [
        [handle] for handle in range(1, 9)
    ]


def test_of_a_handle_that_was_handed_out_again_the_living_stream_is_meant() -> None:
    one = FakeStream(1, "first", "/repo/test_a.py", 3, "drive")
    assert names(one, one._replace(variable="second", line=5)).of(1).name == "second"
    assert names(one).of(7).name == "stream-0x7"
