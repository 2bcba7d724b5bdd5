from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.samples import LEAK, ORDERING, SHA, triage
from triage_bot.adapters import wire
from triage_bot.core.findings import Problem, Reason, VerdictName
from triage_bot.core.results import Failure
from triage_bot.errors import UnreadableInputError


def test_what_was_written_is_read_back() -> None:
    unsure = replace(ORDERING, verdict=VerdictName.INCONCLUSIVE, reason=Reason.BUDGET_SPENT, polluter="tests/a.py::b")
    whole = replace(triage(LEAK, unsure), problems=(Problem("count-mismatch", "the header says 3"),), complete=False)
    assert wire.read(wire.write(whole)) == whole


def test_the_document_has_the_published_shape() -> None:
    document = json.loads(wire.write(triage(LEAK)))
    assert document["schema"] == "triage-bot/v1"
    assert document["source"] == {
        "repository": "octo/kernels",
        "sha": SHA,
        "run_id": 71,
        "run_attempt": 1,
        "job": "race",
        "event": "pull_request",
    }
    finding = document["findings"][0]
    assert finding["arms"][1] == {
        "arm": "stretched",
        "runs": 5,
        "failed": 5,
        "failed_otherwise": 0,
        "seconds": 7.5,
    }
    assert finding["rate"] == {"low": 0.0, "high": 0.52182}
    assert finding["polluter"] is None
    assert finding["witness"]["boundary"] == {
        "file": "tests/test_worker.py",
        "line": 49,
        "statement": "control = _drive_store(worker, with_barrier=False)",
    }
    assert finding["remedy"]["tried"] == {"arm": "stretched+patched", "runs": 5, "failed": 0}


def test_a_document_without_our_later_keys_is_read() -> None:
    document = json.loads(wire.write(triage(LEAK)))
    del document["findings"][0]["reason"]
    del document["findings"][0]["failure"]["file"]
    assert wire.read(json.dumps(document).encode()).findings[0].test == LEAK.test


def test_half_a_surrogate_in_a_message_is_written_so_that_it_can_be_read() -> None:
    odd = replace(LEAK, failure=Failure("ValueError", "\ud800"))
    assert wire.read(wire.write(triage(odd))).findings[0].failure == Failure("ValueError", "?")


Edit = Callable[[dict[str, Any]], object]

REFUSED: dict[str, Edit] = {
    "triage.json.schema is not 'triage-bot/v1'": lambda d: d.update(schema="triage-bot/v2"),
    "only the keys": lambda d: d.update(pull_request=7),
    "with the key 'findings'": lambda d: d.pop("findings"),
    "triage.json.findings[0].verdict is not one of": lambda d: d["findings"][0].update(verdict="rosy"),
    "findings[0].test is not a string": lambda d: d["findings"][0].update(test=["x"]),
    "findings[0].p_value is not a number from 0 to 1": lambda d: d["findings"][0].update(p_value=1.5),
    "findings[0].latent is not true or false": lambda d: d["findings"][0].update(latent=0),
    "arms[0].arm is not the name of an arm": lambda d: d["findings"][0]["arms"][0].update(arm="as-is; rm -rf"),
    "more failures than runs": lambda d: d["findings"][0]["arms"][0].update(failed=6),
    "runs is not a whole number": lambda d: d["findings"][0]["arms"][0].update(runs=True),
    "rate.high is not a number": lambda d: d["findings"][0]["rate"].update(low=0.9),
    "summary.tests is not a whole number": lambda d: d["summary"].update(tests=-1),
    "at most 10000 elements": lambda d: d.update(findings=[0] * 10_001),
    "surrogate": lambda d: d["findings"][0].update(why="\udfff"),
}


@pytest.mark.parametrize("said", REFUSED)
def test_a_document_that_was_tampered_with_is_refused_by_the_path_of_the_fault(said: str) -> None:
    document = json.loads(wire.write(triage(LEAK)))
    REFUSED[said](document)
    with pytest.raises(UnreadableInputError) as refusal:
        wire.read(json.dumps(document).encode())
    assert said in str(refusal.value)


@pytest.mark.parametrize(
    "data",
    [b"", b"\xff\xfe{}", b"[" * 200_000, b'{"a": 1, "a": 2}', b'{"a": NaN}', b"9" * 5_000, b"null", b"[]", b"{}"],
)
def test_bytes_that_are_no_document_end_in_one_error(data: bytes) -> None:
    with pytest.raises(UnreadableInputError):
        wire.read(data)


def test_ten_million_findings_are_refused_by_size_alone() -> None:
    with pytest.raises(UnreadableInputError, match="larger than 16 MiB"):
        wire.read(b'{"findings":[' + b"{}," * 10_000_000)


def test_a_file_is_loaded_and_a_missing_one_says_what_to_check(tmp_path: Path) -> None:
    (tmp_path / "triage.json").write_bytes(wire.write(triage(LEAK)))
    assert wire.load(tmp_path / "triage.json") == triage(LEAK)
    with pytest.raises(UnreadableInputError, match="cannot be read") as refusal:
        wire.load(tmp_path / "none.json")
    assert "download" in refusal.value.advice


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
WHERE = st.lists(st.integers(0, 12), max_size=6)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_triage_or_one_error(data: bytes) -> None:
    with pytest.raises(UnreadableInputError):
        wire.read(data)


@given(JSON, WHERE)
def test_any_value_anywhere_in_a_document_is_read_or_refused(value: object, where: list[int]) -> None:
    document: Any = json.loads(wire.write(triage(LEAK, ORDERING)))
    spot: Any = document
    key: Any = "schema"
    for step in where:
        inside = list(spot) if isinstance(spot, dict) else list(range(len(spot)))
        if not inside:
            break
        key = inside[step % len(inside)]
        if not isinstance(spot[key], (dict, list)):
            break
        spot, key = (spot[key], key) if spot[key] else (spot, key)
    if isinstance(spot, dict) and key in spot:
        spot[key] = value
    with suppress(UnreadableInputError):
        wire.write(wire.read(json.dumps(document).encode()))
