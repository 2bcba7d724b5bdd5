"""The page for a person: what it shows, and that nothing in it comes alive."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser

from tests.samples import LEAK, ORDERING, triage
from triage_bot.adapters.html import page
from triage_bot.core.findings import Problem
from triage_bot.core.results import Failure

EVIL = "</pre><script>alert(1)</script><img src=x onerror=alert(1)>\x1b[2J\u202e\ud800&amp;'\"{{ 7 * 7 }}"


class Reader(HTMLParser):
    """The tags and attributes of a page, and the text outside of its style."""

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(data.decode("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


def test_it_shows_verdict_proof_leftover_work_fix_and_how_to_repeat_it() -> None:
    read = Reader(page(triage(LEAK, ORDERING)))
    for shown in (
        "cross-phase-contamination (confirmed)",
        LEAK.why,
        "stretched+drained",
        "p = 0.004",
        "compute_stream: 734 ms",
        "tests/test_worker.py:49",
        "+    compute_stream.synchronize()",
        "triage-bot rerun --test tests/test_worker.py::test_store_orders_after_compute_write",
        "NVIDIA H200",
        "needs you",
    ):
        assert shown in read.text
    assert read.tags.count("rect") == 1


def test_hostile_text_stays_text() -> None:
    assert LEAK.witness is not None
    boundary = replace(LEAK.witness.boundary, statement=EVIL)
    evil = replace(
        LEAK,
        test=EVIL,
        why=EVIL,
        polluter=EVIL,
        failure=Failure(EVIL, EVIL),
        witness=replace(LEAK.witness, boundary=boundary),
    )
    told = replace(triage(evil), problems=(Problem(EVIL, EVIL),))
    data = page(told)
    plain, read = Reader(page(replace(triage(LEAK), problems=(Problem("kind", "detail"),)))), Reader(data)
    assert set(read.tags) == set(plain.tags)
    assert "script" not in read.tags
    assert "{{ 7 * 7 }}" in read.text
    assert not {"\x1b", "\u202e"} & set(data.decode("utf-8"))


def test_it_loads_nothing_and_runs_nothing() -> None:
    read = Reader(page(triage(LEAK)))
    names = {name for name, _ in read.attributes}
    assert not {"src", "href", "xlink:href", "srcset", "action"} & names
    assert not [name for name in names if name.startswith("on")]
    assert ("content", "default-src 'none'; style-src 'unsafe-inline'") in read.attributes


def test_equal_triages_give_equal_bytes() -> None:
    assert page(triage(LEAK, ORDERING)) == page(triage(LEAK, ORDERING))


def test_without_findings_it_says_so() -> None:
    assert "Nothing failed" in Reader(page(triage())).text
