"""Documents made to hurt: refused, in bounded memory, with one clear error."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from triage_bot.adapters.junit.collecting import Collector
from triage_bot.adapters.junit.parsing import parse
from triage_bot.adapters.junit.reading import read_reports
from triage_bot.errors import UnreadableInputError

MIB = 1024 * 1024


def stream(start: bytes, piece: bytes, count: int) -> Iterator[bytes]:
    yield start
    for _ in range(count):
        yield piece


@pytest.mark.parametrize(
    ("start", "piece", "why"),
    [
        (b"<testsuite><testcase name='a'><failure>", b"x" * MIB, "a text is longer"),
        (b"<testsuite><testcase name='", b"x" * MIB, "a tag or comment is longer"),
        (b"<testsuite><!--", b"x" * MIB, "a tag or comment is longer"),
        (b"", b"<testsuite>" * 1000, "nested"),
        (b"<testsuite>", b"<testcase>" * 1000, "nested"),
        (b"<testsuite><testcase>", b"<failure>" * 1000, "nested"),
    ],
)
def test_what_never_ends_is_refused_in_bounded_memory(start: bytes, piece: bytes, why: str) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(UnreadableInputError, match=why):
            parse(stream(start, piece, 2048), Collector())
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 40 * MIB


def test_endless_different_names_of_elements_are_refused() -> None:
    names = (b"".join(b"<n%d/>" % (start + at) for at in range(1000)) for start in range(0, 10**6, 1000))
    with pytest.raises(UnreadableInputError, match="different names"):
        parse((piece for pieces in ((b"<testsuite>",), names) for piece in pieces), Collector())


BOMB = "".join(f"<!ENTITY e{at} '{f'&e{at - 1};' * 10}'>" for at in range(1, 10))


@pytest.mark.parametrize(
    "document",
    [
        f"<!DOCTYPE testsuite [<!ENTITY e0 'ha'>{BOMB}]><testsuite><testcase name='&e9;'/></testsuite>",
        "<!DOCTYPE r [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><testsuite><testcase name='a'><failure>&x;</failure>"
        "</testcase></testsuite>",
        "<!DOCTYPE testsuites SYSTEM 'http://localhost/junit.dtd'><testsuites><testsuite/></testsuites>",
    ],
)
def test_documents_that_declare_a_type_or_entities_are_refused(tmp_path: Path, document: str) -> None:
    file = tmp_path / "r.xml"
    file.write_text(document)
    (report,) = read_reports([str(file)])
    assert report.unread is not None
    assert "declares" in report.unread.detail
    assert not report.counts.tests


def test_an_external_entity_in_another_kind_of_document_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    file = tmp_path / "nunit.xml"
    file.write_text(f"<!DOCTYPE r [<!ENTITY x SYSTEM '{tmp_path}/secret'>]><test-results><m>&x;</m></test-results>")
    (report,) = read_reports([str(file)])
    assert [problem.kind for problem in report.problems] == ["not-junit"]


def test_long_texts_of_failures_are_cut_in_the_middle(tmp_path: Path) -> None:
    file = tmp_path / "r.xml"
    text = "first line\n" + "x" * 3_000_000 + "\nt.py:3: ValueError"
    file.write_text(
        f"<testsuite><testcase name='a'><failure message='{'m' * 100_000}'>{text}</failure></testcase></testsuite>"
    )
    failure = read_reports([str(file)])[0].failing[0].failure
    assert failure is not None
    assert len(failure.message) + len(failure.text) < 25_000
    assert failure.text.startswith("first line")
    assert (failure.file, failure.line, failure.type) == ("t.py", 3, "ValueError")


def test_more_suites_than_any_run_has_are_refused() -> None:
    with pytest.raises(UnreadableInputError, match="suites"):
        parse(stream(b"<testsuites>", b"<testsuite/>" * 10_000, 100), Collector())


def test_failures_without_number_are_counted_and_their_texts_dropped(tmp_path: Path) -> None:
    file = tmp_path / "r.xml"
    cases = (f"<testcase name='{at}'><failure message='m'/></testcase>" for at in range(70_000))
    file.write_text(f"<testsuite>{''.join(cases)}</testsuite>")
    (report,) = read_reports([str(file)])
    assert report.counts.failed == 70_000
    assert [problem.kind for problem in report.problems] == ["details-dropped"]
    assert report.failing[0].failure is not None
    assert report.failing[0].failure.message == "m"


def test_one_test_repeated_without_end_costs_no_more_than_many_tests(tmp_path: Path) -> None:
    file = tmp_path / "r.xml"
    file.write_text("<testsuite>" + "<testcase name='a'/>" * 200_000 + "</testsuite>")
    (report,) = read_reports([str(file)])
    assert report.counts.passed == report.counts.tests == 1


def test_long_names_are_cut_and_stay_different(tmp_path: Path) -> None:
    file = tmp_path / "r.xml"
    file.write_text("<testsuite>" + "".join(f"<testcase name='{'x' * 9000}{at}'/>" for at in range(2)) + "</testsuite>")
    (report,) = read_reports([str(file)])
    names = [test.name for test in report.order()]
    assert len(set(names)) == 2
    assert max(map(len, names)) < 3000
