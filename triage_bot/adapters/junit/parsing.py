"""One XML document, as bytes, to the suites it holds; hostile ones are refused in bounded memory.

Things that don't work: recovering parsers, which turn a test case that is cut inside its tag into one that passed;
and building a tree, which costs a kilobyte a test.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO
from xml.parsers import expat

from triage_bot.adapters.junit.collecting import Collector
from triage_bot.adapters.junit.limits import (
    CHUNK,
    LARGEST_REPORT,
    LONGEST_TAG,
    LONGEST_TEXT,
    MOST_NAMED,
    MOST_NAMES,
    MOST_SUITES,
    MOST_TESTS,
    refused,
)

_ENDED_EARLY = {
    expat.errors.codes[expat.errors.XML_ERROR_NO_ELEMENTS],
    expat.errors.codes[expat.errors.XML_ERROR_UNCLOSED_TOKEN],
    expat.errors.codes[expat.errors.XML_ERROR_PARTIAL_CHAR],
    expat.errors.codes[expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION],
}


@dataclass(frozen=True)
class Fault:
    """Where and why a document stops being XML."""

    what: str
    line: int
    at: int
    """Byte offset in what was fed."""
    ended_early: bool
    """Nothing is wrong but that the document stops."""

    def __str__(self) -> str:
        return f"line {self.line}: {self.what}"


class Document:
    """A parser and its guards around one collector; fed piece by piece."""

    def __init__(self, collector: Collector, encoding: str | None = None) -> None:
        self._parser = expat.ParserCreate(encoding)
        self._parser.buffer_text = True
        self._parser.StartElementHandler = collector.start
        self._parser.EndElementHandler = collector.end
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._parser.EntityDeclHandler = _entity
        collector.hear_through(partial(setattr, self._parser, "CharacterDataHandler"))
        self._collector = collector
        self._fed = 0
        self._quiet = 0
        self._events = 0

    def feed(self, piece: bytes) -> Fault | None:
        """Read on; the fault that ends the document, if there is one."""
        self._fed += len(piece)
        fault = self._parse(piece, False)
        if fault is not None:
            self._release()
        else:
            self._guard(len(piece))
        return fault

    def finish(self) -> Fault | None:
        """There is no more."""
        fault = self._parse(b"", True)
        self._release()
        return fault

    def _parse(self, piece: bytes, last: bool) -> Fault | None:
        try:
            self._parser.Parse(piece, last)
        except expat.ExpatError as error:
            what = expat.ErrorString(error.code)
            return Fault(what, error.lineno, self._parser.ErrorByteIndex, error.code in _ENDED_EARLY)
        except (LookupError, ValueError) as error:
            return Fault(str(error), 1, 0, False)
        return None

    def _release(self) -> None:
        # Parser and collector hold each other: a reading that is begun anew would keep the first one in memory.
        self._parser.StartElementHandler = self._parser.EndElementHandler = None
        self._parser.StartDoctypeDeclHandler = self._parser.CharacterDataHandler = None

    def _guard(self, size: int) -> None:
        if self._fed > LARGEST_REPORT:
            raise refused(f"it is larger than {LARGEST_REPORT // 1024**2} MiB")
        # Never negative: a byte index of -1 means that the parser has not begun.
        if self._fed - max(self._parser.CurrentByteIndex, 0) > LONGEST_TAG:
            raise refused(f"a tag or comment is longer than {LONGEST_TAG // 1024**2} MiB")
        self._quiet = self._quiet + size if self._collector.events == self._events else 0
        self._events = self._collector.events
        if self._quiet > LONGEST_TEXT:
            raise refused(f"a text is longer than {LONGEST_TEXT // 1024**2} MiB")
        if len(self._parser.intern) > MOST_NAMES:
            raise refused(f"it has more than {MOST_NAMES} different names of elements and attributes")
        if self._collector.cases > MOST_TESTS or self._collector.named > MOST_NAMED:
            raise refused(f"it holds more than {MOST_TESTS:,} tests, or names without measure")
        if self._collector.suites_begun > MOST_SUITES:
            raise refused(f"it holds more than {MOST_SUITES:,} suites")

    def _doctype(self, *_: object) -> None:
        self._collector.doctype = True


def _entity(_name: str, _parameter: bool, value: str | None, *_: object) -> None:
    # Text entities are how a small file grows to gigabytes. External ones are never fetched by this parser.
    if value is not None:
        raise refused("it declares entities, which reports do not need and attacks do")


def parse(pieces: Iterable[bytes], collector: Collector, encoding: str | None = None) -> Fault | None:
    """Read one document into the collector; the fault that ended it early, if any."""
    document = Document(collector, encoding)
    for piece in pieces:
        fault = document.feed(piece)
        if fault is not None:
            return fault
    return document.finish()


def pieces(stream: BinaryIO) -> Iterator[bytes]:
    """A stream, a piece at a time."""
    while piece := stream.read(CHUNK):
        yield piece
