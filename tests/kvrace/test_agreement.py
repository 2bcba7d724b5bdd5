"""Two devices agree where an arm showed the same on both; what cannot be compared is counted, not called agreement."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks.agreement import TRIALS_TO_AGREE, Job, Shard, main, run, tried
from benchmarks.agreement_records import Record, Tried, agreed, compare, merged
from benchmarks.emulated_lab import ROOT
from kvrace_tests.cases.table import CASES
from triage_bot.core.arms import Arm
from triage_bot.core.findings import Environment
from triage_bot.core.remedy import Patch
from triage_bot.core.results import Failure, Outcome
from triage_bot.core.trials import Coverage, Observation
from triage_bot.ports import CollectedTest

TEST = "kvrace_tests/cases/test_store.py::test_store_orders_after_compute_write"
PASSED = Observation(Outcome.PASSED, None, 0.1)
RACED = Observation(Outcome.FAILED, Failure("AssertionError", "raced: 3 corrupt", "test_store.py", 38), 0.1)
SAID = "AssertionError: raced: <n> corrupt"


class ScriptedLab:
    """Answers trial after trial from a list, the last answer for ever."""

    def __init__(self, *answers: Observation) -> None:
        self._answers = answers
        self.asked: list[str] = []

    def collected(self) -> Sequence[CollectedTest]:
        return [CollectedTest(TEST, marked_stream=True)]

    def environment(self) -> Environment:
        return Environment(runtime="cuda", device="scripted")

    def remarks(self) -> Sequence[str]:
        return ()

    def source(self, file: str) -> str | None:
        return None

    def run(
        self, node_id: str, arm: Arm, ordinal: int, before: Sequence[str] = (), patch: Patch | None = None
    ) -> Observation:
        self.asked.append(str(arm))
        return self._answers[min(len(self.asked), len(self._answers)) - 1]


def record(**arms: Tried) -> Record:
    return Record(tests={TEST: {name.replace("_", "-"): tried for name, tried in arms.items()}})


def test_an_arm_is_tried_until_it_agrees() -> None:
    lab = ScriptedLab(PASSED, RACED)
    assert tried(lab, TEST, "stretched", [SAID]).outcomes == [SAID, "passed"]
    assert len(lab.asked) == 2


def test_an_arm_that_never_agrees_is_given_up() -> None:
    lab = ScriptedLab(PASSED)
    assert tried(lab, TEST, "stretched", [SAID]).outcomes == ["passed"]
    assert len(lab.asked) == TRIALS_TO_AGREE


def test_what_the_probes_did_not_see_is_kept() -> None:
    unseen = Observation(Outcome.PASSED, None, 0.1, coverage=Coverage(("raw-driver-calls",)))
    assert tried(ScriptedLab(unseen), TEST, "stretched", ()).gaps == ["raw-driver-calls"]


def test_a_skew_of_a_stream_that_nobody_saw_is_a_gap() -> None:
    assert tried(ScriptedLab(PASSED), TEST, "skewed:compute_stream", ()).gaps == ["stream-not-seen"]


def test_a_run_goes_on_where_the_record_ends_and_leaves_out_what_was_skipped(tmp_path: Path) -> None:
    other = record(as_is=Tried(["passed"]), stretched=Tried(["passed"]), drained=Tried(["skipped"]))
    lab, out = ScriptedLab(PASSED), tmp_path / "cuda.json"
    job = Job(out, other, seconds=60.0, shard=Shard(0, 1))
    run(job, lab, record(as_is=Tried(["passed"])))
    assert lab.asked == ["stretched"]
    kept = Record.read(out)
    assert list(kept.tests[TEST]) == ["as-is", "stretched"]
    assert kept.environment["device"] == "scripted"


def test_a_run_without_time_begins_no_arm(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lab = ScriptedLab(PASSED)
    run(Job(tmp_path / "cuda.json", record(as_is=Tried(["passed"])), seconds=-1.0, shard=Shard(0, 1)), lab, Record())
    assert lab.asked == []
    assert "the same command goes on" in capsys.readouterr().out


def test_plain_arms_come_first_and_skews_last() -> None:
    names = ["skewed:a+drained", "skewed:a", "stretched+drained", "as-is", "stretched"]
    other = Record(tests={TEST: {name: Tried(["passed"]) for name in names}})
    plan = Job(Path(), other, seconds=60.0, shard=Shard(0, 1)).plan(ScriptedLab(PASSED))
    assert [arm for _, arm in plan] == ["as-is", "stretched", "stretched+drained", "skewed:a", "skewed:a+drained"]


def test_shards_are_all_of_the_tests_and_become_one_record() -> None:
    names = ["a", "b", "c", "d", "e"]
    parts = [Shard.parse(f"{index}/3").of(names) for index in range(3)]
    assert sorted(name for part in parts for name in part) == names
    records = [Record(tests={name: {"as-is": Tried(["passed"])} for name in part}) for part in parts]
    assert list(merged(records).tests) == names


def test_only_what_did_not_agree_is_tried_afresh() -> None:
    one = record(as_is=Tried(["passed"]), stretched=Tried(["passed"]), drained=Tried(["skipped"]))
    other = record(as_is=Tried(["passed"]), stretched=Tried([SAID]), drained=Tried(["passed"]))
    assert list(agreed(one, other).tests[TEST]) == ["as-is", "drained"]


def test_one_outcome_in_common_is_agreement(capsys: pytest.CaptureFixture[str]) -> None:
    assert compare(record(as_is=Tried(["passed"])), record(as_is=Tried([SAID, "passed"]))) == 0
    assert "1 tests, 1 arms compared: 0 apart" in capsys.readouterr().out


def test_different_failures_are_apart_and_both_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    other = "AssertionError: vacuous control: the control phase never raced"
    assert compare(record(stretched=Tried([SAID])), record(stretched=Tried([other]))) == 1
    told = capsys.readouterr().out
    assert f"APART: {TEST} under stretched" in told
    assert SAID in told
    assert other in told


def test_an_arm_that_its_probes_could_not_carry_out_is_told_apart(capsys: pytest.CaptureFixture[str]) -> None:
    one = record(as_is=Tried(["passed"]), stretched=Tried([SAID]))
    other = record(as_is=Tried(["passed"]), stretched=Tried(["passed"], ["raw-driver-calls"]))
    assert compare(one, other) == 0
    told = capsys.readouterr().out
    assert "apart, and not covered" in told
    assert "besides: 1 apart" in told


def test_a_skip_is_no_agreement_and_nothing_to_compare_is_no_success(capsys: pytest.CaptureFixture[str]) -> None:
    assert compare(record(as_is=Tried(["skipped"])), record(as_is=Tried(["passed"]))) == 1
    assert "1 skipped on a device" in capsys.readouterr().out


def test_records_are_compared_from_their_files(tmp_path: Path) -> None:
    one, other = tmp_path / "one.json", tmp_path / "other.json"
    record(as_is=Tried(["passed"])).write(one)
    record(as_is=Tried([SAID])).write(other)
    assert main(["compare", str(one), str(one)]) == 0
    assert main(["compare", str(one), str(other)]) == 1


def test_what_the_emulated_device_showed_is_kept_for_every_case() -> None:
    kept = Record.read(ROOT / "benchmarks" / "results" / "agreement-emulated.json")
    cases = {test.split("::")[0] for test in kept.tests}
    assert {f"kvrace_tests/cases/{module}.py" for module in CASES.values()} <= cases
