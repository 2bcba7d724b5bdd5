"""Report files, folders, globs and zip artifacts to reports. Every path ends in a report, refused ones included."""

from __future__ import annotations

import glob
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from triage_bot.adapters.archive import Archive, is_archive
from triage_bot.adapters.junit.collecting import Collector
from triage_bot.adapters.junit.parsing import Fault, parse, pieces
from triage_bot.adapters.junit.repair import multibyte, repair, transcoded
from triage_bot.core.findings import Counts, Problem
from triage_bot.core.reports import ABSENT, REFUSED, Report, assemble
from triage_bot.core.wording import counted
from triage_bot.errors import UnreadableInputError


@dataclass(frozen=True)
class _Source:
    """A report that can be read from its beginning more than once."""

    path: str
    pieces: Callable[[], Iterator[bytes]]


def read_reports(paths: Sequence[str]) -> tuple[Report, ...]:
    """Read every report that the paths name, in their order, one that is named twice once.

    Never raises for what a file holds: one that is absent or refused is a report without tests that says so.
    """
    reports: list[Report] = []
    seen: set[Path] = set()
    for path in paths:
        found = _expand(path)
        if not found:
            missing = "no .xml file is in it" if Path(path).is_dir() else "it is not there"
            reports.append(_without_tests(path, ABSENT, f"{missing}: whatever should have written it died before"))
        for file in found:
            if file.resolve() not in seen:
                reports.extend(_read_file(file))
            seen.add(file.resolve())
    return tuple(reports)


def _read_file(file: Path) -> Iterator[Report]:
    try:
        sources = _sources(file)
    except (OSError, UnreadableInputError) as error:
        yield _refused(str(file), error)
    else:
        yield from map(_read_source, sources)


def _expand(path: str) -> list[Path]:
    file = Path(path)
    if file.is_dir():
        return sorted(file.rglob("*.xml"))
    if file.exists():
        return [file]
    # pathlib's glob wants a pattern relative to a folder; people give any path.
    return sorted(map(Path, glob.glob(path, recursive=True))) if glob.has_magic(path) else []  # noqa: PTH207


def _sources(file: Path) -> list[_Source]:
    if not file.is_file():
        raise UnreadableInputError("it is not a regular file", "Write the report to a file first.")
    if not is_archive(file):
        return [_Source(str(file), lambda: _pieces_of(file))]
    archive = Archive(file)
    # What macOS adds to an archive of its own is named like the files that it is about.
    members = [(at, name) for at, name in enumerate(archive.members) if not name.startswith("__MACOSX/")]
    reports = [(at, name) for at, name in members if name.lower().endswith(".xml")]
    if not reports:
        raise UnreadableInputError("the archive holds no .xml file", "Name the artifact that holds the reports.")
    return [_Source(f"{file}!{name}", lambda at=at: archive.pieces(at)) for at, name in reports]  # type: ignore[misc]


def _pieces_of(file: Path) -> Iterator[bytes]:
    with file.open("rb") as stream:
        yield from pieces(stream)


def _read_source(source: _Source) -> Report:
    try:
        return _read(source)
    except (OSError, UnreadableInputError) as error:
        return _refused(source.path, error)


def _read(source: _Source) -> Report:
    collector, problems = Collector(), list[Problem]()
    fault = first = _read_as_it_stands(source, collector)
    if first is not None and not first.ended_early:
        collector = Collector()
        fault, problems = repair(source.pieces(), collector)
        problems = problems or [Problem("repaired", str(first))]
    if fault is not None:
        collector.cut()
        problems.append(Problem("truncated" if fault.ended_early else "malformed", str(fault)))
    elif not collector.known:
        problems.append(Problem("not-junit", f"its root element is <{collector.root}>: nothing in it is a JUnit test"))
    complete = not problems
    if collector.unexplained_reruns:
        problems.append(
            Problem(
                "rerun-without-failure",
                f"{counted(collector.unexplained_reruns, 'passed test')} with reruns that failed",
            )
        )
    if collector.details.untold:
        untold = counted(collector.details.untold, "failure")
        problems.append(Problem("details-dropped", f"{untold} counted, and not kept with their texts"))
    report = assemble(source.path, collector.suites, problems, complete)
    if fault is not None and not report.counts.tests:
        raise UnreadableInputError(f"no test can be read from it ({fault})", "Have it written again.")
    return report


def _read_as_it_stands(source: _Source, collector: Collector) -> Fault | None:
    start = next(source.pieces(), b"")
    encoding = multibyte(start)
    if encoding is None:
        return parse(source.pieces(), collector)
    try:
        return parse(transcoded(source.pieces(), encoding), collector, "utf-8")
    except UnicodeDecodeError as error:
        return Fault(f"not {encoding}: {error.reason}", 1, 0, False)


def _refused(path: str, error: Exception) -> Report:
    file = path.partition("!")[0]
    detail = str(error).removeprefix(f"{file} is ").removeprefix("refused: ")
    return _without_tests(path, REFUSED, detail)


def _without_tests(path: str, kind: str, detail: str) -> Report:
    return Report(path, False, Counts(), (), (Problem(kind, detail),))
