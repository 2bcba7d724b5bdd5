"""The journal: what an interrupted triage goes on from."""

from __future__ import annotations

import json
import resource
import shutil
from pathlib import Path

import pytest

from triage_bot.core.arms import AS_IS, Arm
from triage_bot.core.results import Failure, Outcome
from triage_bot.core.trials import Boundary, Coverage, Observation, Residue, Site, StreamUse, Trial
from triage_bot.errors import LabError, UsageError
from triage_bot.lab.journal import Journal

STREAM = StreamUse("compute", Site("test_a.py", 3, "drive"), True)
RICH = Observation(
    Outcome.FAILED,
    Failure("ValueError", "line\u2028one\nline two \ud800", "test_a.py", 7),
    0.25,
    streams=(STREAM,),
    boundaries=(Boundary("drive()", Site("test_a.py", 9, "test_a"), (Residue(STREAM, 0.7),)),),
    coverage=Coverage(("raw-driver-calls",)),
    properties=(("seed", "3"),),
    marked_stream=True,
    reason="no device",
    loads_lazily=True,
)
TRIALS = [
    Trial(0, AS_IS, RICH, True),
    Trial(1, Arm.parse("skewed:copy_stream+serialized"), Observation(Outcome.PASSED, None, 0.1), False, ("a.py::b",)),
]
CONDITIONS = {"pytest": ["suite"], "timeout": 60.0}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with Journal(tmp_path / "deep" / "journal.jsonl", CONDITIONS, resume=False) as journal:
        for trial in TRIALS:
            journal.add("a.py::test_a", trial)
    return tmp_path / "deep" / "journal.jsonl"


def test_what_was_written_is_what_is_read(path: Path) -> None:
    with Journal(path, CONDITIONS, resume=True) as journal:
        assert journal.by_test() == {"a.py::test_a": tuple(TRIALS)}


def test_cut_at_any_byte_it_loses_at_most_the_trial_that_was_being_written(path: Path) -> None:
    whole = path.read_bytes()
    ends = [at for at, byte in enumerate(whole) if byte == ord("\n")]
    for cut in sorted({*range(0, len(whole), 29), *(end + off for end in ends for off in (-1, 0, 1)), len(whole) - 1}):
        path.write_bytes(whole[:cut])
        kept = max(0, sum(end < cut for end in ends) - 1)
        with Journal(path, CONDITIONS, resume=True) as journal:
            assert journal.by_test().get("a.py::test_a", ()) == tuple(TRIALS[:kept])
            journal.add("a.py::test_a", TRIALS[0])
        with Journal(path, CONDITIONS, resume=True) as again:
            assert again.by_test()["a.py::test_a"] == (*TRIALS[:kept], TRIALS[0])


def test_started_anew_it_forgets_what_was_there(path: Path) -> None:
    with Journal(path, CONDITIONS, resume=False) as journal:
        journal.add("b.py::test_b", TRIALS[0])
    with Journal(path, CONDITIONS, resume=True) as journal:
        assert journal.by_test() == {"b.py::test_b": (TRIALS[0],)}


def test_a_run_that_ends_before_its_first_trial_leaves_the_earlier_one_to_go_on_with(path: Path) -> None:
    with Journal(path, {**CONDITIONS, "tests": ["mistyped"]}, resume=False):
        pass
    with Journal(path, CONDITIONS, resume=True) as journal:
        assert journal.by_test() == {"a.py::test_a": tuple(TRIALS)}


def test_other_conditions_are_named_with_both_values(path: Path) -> None:
    with pytest.raises(UsageError, match=r"other conditions: timeout 60\.0, and now 5") as refused:
        Journal(path, {**CONDITIONS, "timeout": 5}, resume=True)
    assert "without --resume" in refused.value.advice


@pytest.mark.parametrize(
    "line",
    [b"", b"{", b"[]", b"3", b"null", b'"text"', b"{}", b'{"test": 3}', b"\xff\xfe", b'{"observation": []}'],
)
def test_a_line_that_is_none_of_ours_is_one_error_with_its_number(path: Path, line: bytes) -> None:
    with path.open("ab") as journal:
        journal.write(line + b"\n")
    with pytest.raises(UsageError, match=r"line 4 of .*journal\.jsonl is none of a journal"):
        Journal(path, CONDITIONS, resume=True)


@pytest.mark.parametrize("text", ["hello\n", "[1]\n", "{}\n", '{"conditions": 3}\n', "\n"])
def test_a_file_that_is_no_journal_is_left_alone(tmp_path: Path, text: str) -> None:
    file = tmp_path / "journal.jsonl"
    file.write_text(text)
    with pytest.raises(UsageError, match="line 1 of"):
        Journal(file, CONDITIONS, resume=True)
    assert file.read_text() == text


def test_a_trial_is_on_disk_when_add_returns(path: Path) -> None:
    last = json.loads(path.read_text().splitlines()[-1])
    assert (last["ordinal"], last["arm"]) == (1, "skewed:copy_stream+serialized")


def test_a_folder_belongs_to_one_run_at_a_time(path: Path) -> None:
    with Journal(path, CONDITIONS, resume=True):
        for resume in (True, False):
            with pytest.raises(UsageError, match="another run of triage-bot uses") as refused:
                Journal(path, CONDITIONS, resume=resume)
            assert "another folder" in refused.value.advice
    with Journal(path, CONDITIONS, resume=True) as journal:
        assert journal.by_test() == {"a.py::test_a": tuple(TRIALS)}


def test_a_folder_that_a_test_clears_away_does_not_end_the_run(path: Path) -> None:
    with Journal(path, CONDITIONS, resume=True) as journal:
        shutil.rmtree(path.parent)
        journal.add("a.py::test_a", TRIALS[0])
        assert len(journal.by_test()["a.py::test_a"]) == 3


def test_a_disk_that_is_full_is_one_error_that_says_how_to_go_on(path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with Journal(path, CONDITIONS, resume=True) as journal:
        resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 9, hard))
        try:
            with pytest.raises(LabError, match=r"journal\.jsonl cannot be written: File too large") as refused:
                journal.add("a.py::test_a", TRIALS[0])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "--resume" in refused.value.advice
    with Journal(path, CONDITIONS, resume=True) as journal:
        assert len(journal.by_test()["a.py::test_a"]) >= 2
