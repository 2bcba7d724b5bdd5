"""Bytes and documents that a report may be, and what holds of every reading of them."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import strategies as st

from triage_bot.adapters import inspect_wire, terminal_inspect
from triage_bot.adapters.junit.reading import read_reports
from triage_bot.core.reports import Report
from triage_bot.core.resolve import Resolver
from triage_bot.core.signatures import family

TAGS = ["testsuites", "testsuite", "testcase", "failure", "error", "skipped", "system-out", "properties", "property"]
TAGS += ["flakyFailure", "rerunError", "rerun", "stackTrace", "x:testcase", "other"]
NAMES = ["name", "classname", "tests", "failures", "skipped", "time", "status", "result", "message", "type", "file"]
WORDS = ["a", "b", "", "3", "-1", "14,029.255", "disabled", "skipped", "failed", "flaky failure", "pytest"]
WORDS += ['failed on teardown with "E: x"', "worker 'gw0' crashed while running 'a'"]
VALUES = st.sampled_from(WORDS) | st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8)
FRAGMENTS = [b"<testsuite>", b"</testsuite>", b"<testcase name='a'/>", b"<testcase>", b"<failure", b"<![CDATA[", b"]]>"]
FRAGMENTS += [b"\0", b"\xff\xfe", b"<?xml version='1.0' encoding='utf-16'?>", b"<!DOCTYPE a [<!ENTITY b 'c'>]>", b"&b;"]
FRAGMENTS += [b"<!--", b"&#0;", b"<testsuites>", b"</testcase>"]


def quoted(value: str) -> str:
    kept = value.replace("\ufffe", "").replace("\uffff", "")
    return kept.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


@st.composite
def elements(draw: st.DrawFn, depth: int = 0) -> str:
    tag = draw(st.sampled_from(TAGS))
    attributes = draw(st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=4))
    children = draw(st.lists(elements(depth + 1), max_size=3)) if depth < 3 else []
    told = "".join(f' {name}="{quoted(value)}"' for name, value in attributes.items())
    text = quoted(draw(VALUES))
    return f"<{tag}{told}>{text}{''.join(children)}</{tag}>"


def read(content: bytes) -> Report:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "r.xml"
        file.write_bytes(content)
        (report,) = read_reports([str(file)])
        return report


def check(report: Report) -> None:
    """What holds of every reading, and that everything built on one can be built."""
    counts = report.counts
    parts = (counts.passed, counts.failed, counts.errored, counts.skipped, counts.flaky, counts.not_run)
    assert counts.tests == sum(parts) == len(list(report.order()))
    assert all(part >= 0 for part in parts)
    assert len(report.failing) == counts.failed + counts.errored
    assert len(report.flaky) == counts.flaky
    assert report.complete or report.problems
    order = list(report.order())
    assert all(order[result.position] == result.id for result in report.results)
    for result in report.failing:
        assert result.failure is not None
        family(result.failure)
        Resolver(["a.py::b"]).resolve(result.id)
    inspect_wire.dump([report])
    terminal_inspect.render([report])


def any_bytes() -> st.SearchStrategy[bytes]:
    """Pieces of documents and of anything else, in any order."""
    return st.lists(st.sampled_from(FRAGMENTS) | st.binary(max_size=12), max_size=12).map(b"".join)


def read_any_bytes(content: bytes) -> None:
    """They are read or refused, alone and behind a test that failed."""
    check(read(content))
    check(read(b"<testsuite><testcase name='a'><failure/></testcase>" + content))


def read_whole(document: str) -> None:
    """A document of known and unknown elements, however nested, is read to its end."""
    report = read(f"<testsuites>{document}</testsuites>".encode())
    check(report)
    assert report.complete


def read_cut(document: str, share: float) -> None:
    """The same cut short gains no test."""
    whole = f"<testsuites><testsuite>{document}</testsuite></testsuites>".encode()
    cut = read(whole[: int(share * (len(whole) - 1))])
    check(cut)
    assert not cut.complete
    assert cut.counts.passed + cut.counts.flaky <= read(whole).counts.tests
