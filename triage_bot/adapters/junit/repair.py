"""Reading a report that is not XML as it stands: what can be put right is, and is said; the rest is cut off.

Repaired: bytes that do not fit the encoding, control characters, NULs, wrong references, signs that begin no tag, text
around the root, a second document behind the first. What is broken otherwise ends the reading there: a guess could
invent a test that passed.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from triage_bot.adapters.junit.collecting import Collector
from triage_bot.adapters.junit.parsing import Document, Fault
from triage_bot.core.findings import Problem

_DECLARED = re.compile(rb"""<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_MULTIBYTE = {
    codecs.lookup(name).name
    for name in ("gbk", "gb2312", "gb18030", "big5", "shift_jis", "cp932", "euc_jp", "iso2022_jp", "euc_kr", "cp949")
}
_SINGLE_BYTE = re.compile(r"(iso8859-\d+|cp125\d|cp437|cp850|koi8-[ru]|mac-roman|ascii)")
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_REFERENCE = re.compile(r"&(?:#(\d{1,9});|#x([0-9a-fA-F]{1,8});|(?:lt|gt|amp|quot|apos);)?")
_NO_TAG = re.compile(
    r"""<(?=[\s\d=<>"']"""
    # A word where a tag has an attribute, or an attribute without quotes: <object object at 0x7f>, <Stream device=0>.
    # An element of a report stays one, however broken: as text it would leave a test that passed.
    r"""|(?!(?:[\w.-]{1,40}:)?(?:test|fail|err|skip|rerun|flaky|system-|propert))"""
    r"""[A-Za-z_][\w.:-]{0,60}\s+[\w.:@-]{1,60}(?:\s+[^\s=]|\s*[>,;)]|=\s*[^\s"'])"""
    # What Python calls code and classes that have no name, in every unescaped traceback.
    r"""|(?:module|lambda|locals|genexpr|listcomp|dictcomp|setcomp|stdin|string|unknown)>)"""
)
_ROOT = re.compile(r"<(?:[\w.-]{1,40}:)?testsuites?[\s>/]")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_LONGEST_PARTIAL = 64
"""Characters that may have to wait for the next piece, so that no reference or root is split."""
_MOST_MISTAKEN = 50
"""Times that something may look like the root and be none: each costs a search through a whole piece."""
_DECLARATION = re.compile(r"<\?xml[^>]{0,200}>")


def multibyte(start: bytes) -> str | None:
    """The declared encoding of a document that the parser itself cannot decode; None for all others."""
    name = _declared(start)
    return name if name in _MULTIBYTE else None


def transcoded(pieces: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    """The same document in UTF-8. Raises ``UnicodeDecodeError``."""
    decoder = codecs.getincrementaldecoder(encoding)()
    for piece in pieces:
        yield decoder.decode(piece).encode()
    yield decoder.decode(b"", True).encode()


def repair(pieces: Iterable[bytes], collector: Collector) -> tuple[Fault | None, list[Problem]]:
    """Read what can be read; the fault that ended it, if any, and what was put right."""
    repairs: Counter[str] = Counter()
    fault = _Documents(collector, repairs).read(_clean(pieces, repairs))
    return fault, [Problem("repaired", f"{what} ({count} times)") for what, count in repairs.items()]


class _Documents:
    """The documents of one file, one behind the other, with anything before, between and after them."""

    def __init__(self, collector: Collector, repairs: Counter[str]) -> None:
        self._collector = collector
        self._repairs = repairs
        self._document: Document | None = None
        self._begun = 0
        self._mistaken = 0
        self._events = 0
        self._fed = 0

    def read(self, texts: Iterable[str]) -> Fault | None:
        for text in texts:
            rest = text.encode()
            while rest:
                rest = self._at_root(rest) if self._document is None else rest
                if self._document is None:
                    break
                fault = self._document.feed(rest)
                if fault is None:
                    self._fed += len(rest)
                    break
                if self._collector.events == self._events and not self._fed and self._mistaken < _MOST_MISTAKEN:
                    # A line of a log that only looked like the root.
                    self._mistaken += 1
                    self._begun -= 1
                    rest, self._document = rest[1:], None
                    continue
                if self._collector.events == self._events or not self._collector.outside:
                    return fault
                rest = rest[max(fault.at - self._fed, 0) :]
                self._document = None
        if self._document is None and not self._begun:
            return Fault("no element of a JUnit report in it", 1, 0, False)
        return self._document.finish() if self._document else None

    def _at_root(self, rest: bytes) -> bytes:
        """From the next root on, which is then open; what stands before it is left out."""
        text = rest.decode()
        root = _ROOT.search(_COMMENT.sub(lambda comment: " " * len(comment[0]), text))
        before = text[: root.start()] if root else text
        if _DECLARATION.sub("", before).strip():
            self._repairs["text outside the root element, left out"] += 1
        if root is None:
            return b""
        if self._begun:
            self._repairs["a further document behind the first, read too"] += 1
        self._document = Document(self._collector, "utf-8")
        self._begun += 1
        self._events = self._collector.events
        self._fed = 0
        return text[root.start() :].encode()


def _clean(pieces: Iterable[bytes], repairs: Counter[str]) -> Iterator[str]:
    held = ""
    for decoded in _decoded(pieces, repairs):
        text, marks = _ILLEGAL.subn("\ufffd", held + decoded)
        if marks:
            repairs["characters that XML forbids, replaced"] += marks
        whole = len(text) - _partial(text)
        held = text[whole:]
        yield _escaped(text[:whole], repairs)
    yield _escaped(held, repairs)


def _escaped(text: str, repairs: Counter[str]) -> str:
    text = _REFERENCE.sub(lambda match: _reference(match, repairs), text)
    text, found = _NO_TAG.subn("&lt;", text)
    if found:
        repairs["less-than signs that begin no tag, escaped"] += found
    return text


def _partial(text: str) -> int:
    """Length of the end of a piece that may be the beginning of a reference or of the root."""
    last = max(text.rfind("<"), text.rfind("&"))
    waiting = len(text) - last
    return waiting if last >= 0 and waiting <= _LONGEST_PARTIAL else 0


def _reference(match: re.Match[str], repairs: Counter[str]) -> str:
    told = match[0]
    if told == "&":
        repairs["ampersands that begin no reference, escaped"] += 1
        return "&amp;"
    decimal, hexadecimal = match[1], match[2]
    if decimal or hexadecimal:
        code = int(decimal) if decimal else int(hexadecimal, 16)
        if not _allowed(code):
            repairs["references to characters that XML forbids, replaced"] += 1
            return "\ufffd"
    return told


def _allowed(code: int) -> bool:
    return code in (9, 10, 13) or 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or 0x10000 <= code <= 0x10FFFF


def _decoded(pieces: Iterable[bytes], repairs: Counter[str]) -> Iterator[str]:
    decoder: codecs.IncrementalDecoder | None = None
    for piece in pieces:
        if decoder is None:
            decoder = codecs.getincrementaldecoder(_encoding(piece))(errors="replace")
        text = decoder.decode(piece)
        unreadable = text.count("\ufffd") - piece.count("\ufffd".encode())
        if unreadable > 0:
            repairs["bytes that do not fit the encoding, replaced"] += unreadable
        yield text
    if decoder is not None:
        yield decoder.decode(b"", True)


def _encoding(start: bytes) -> str:
    """The encoding that a document is really in, as far as its first bytes and its declaration tell."""
    for mark, name in _BOMS:
        if start.startswith(mark):
            return name
    if start[:4:2] == b"\0\0":
        return "utf-16-be"
    if start[1:4:2] == b"\0\0":
        return "utf-16-le"
    return _declared(start) or "utf-8"


def _declared(start: bytes) -> str | None:
    match = _DECLARED.search(start[:400])
    try:
        name = codecs.lookup(match[1].decode()).name if match else ""
    except LookupError:
        return None
    # Only encodings of text, of which decoding costs what reading costs; Python knows codecs for which neither holds.
    return name if name in _MULTIBYTE or _SINGLE_BYTE.fullmatch(name) else None
