"""The only door from untrusted text to GitHub-flavoured Markdown.

What comes out of here mentions nobody, links nowhere, opens no HTML, ends no table cell, fence or code span, and holds
no control or direction-changing character. Text that was not written in this package goes through one of these
functions.
"""

from __future__ import annotations

import re

ELLIPSIS = "…"
_GAP = "\u200b"
"""Zero-width space: invisible, and ends every pattern by which GitHub finds mentions, references and addresses."""

_UNSAFE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)
_SPECIAL = re.compile(r"([\\`*_\[\]|~])")
_LEADING = re.compile(r"^(\d*)([+\-=>.)])")
# Mentions and issues; addresses with and without a scheme; emoji.
_LINKS = re.compile(r"(?<=[@#])|(?<=GH)(?=-)|(?<=:)(?=//|[\w+\-]+:)|(?<=www)(?=\.)", re.IGNORECASE)
_HASH = re.compile(r"[0-9a-f]{6}(?=[0-9a-f])", re.IGNORECASE)
"""Pieces of what GitHub would take for a commit."""


def clip(text: str, most: int) -> str:
    """At most ``most`` characters, the last one an ellipsis where something was cut."""
    return text if len(text) <= most else text[: most - 1] + ELLIPSIS


def clean(text: str) -> str:
    """The text on one line: white space folded, characters that could hide or reorder text made visible."""
    return _UNSAFE.sub("\ufffd", " ".join(text.split()))


def code(text: str, most: int = 300) -> str:
    """A code span. In a table cell it still is one: a pipe is escaped, which GitHub undoes inside tables only."""
    body = clip(clean(text), most) or " "
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", body)), default=0))
    pad = " " if body.startswith(("`", " ")) or body.endswith(("`", " ")) else ""
    return f"{ticks}{pad}{body}{pad}{ticks}"


def cell(text: str, most: int = 120) -> str:
    """A code span for a table cell."""
    return code(text, most).replace("|", r"\|")


def html_code(text: str, most: int = 300) -> str:
    """``<code>`` for places that are HTML already, such as a ``<summary>``."""
    body = clip(clean(text), most)
    for character, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        body = body.replace(character, entity)
    return f"<code>{body}</code>"


def prose(text: str, most: int = 600) -> str:
    """Running text. Parts between single backticks stay code; everything else is shown as it was written."""
    parts = clip(clean(text), most).split("`")
    if len(parts) % 2 == 0:
        return _plain("`".join(parts))
    return "".join(code(part) if index % 2 else _plain(part) for index, part in enumerate(parts) if part)


def fence(text: str, language: str = "") -> str:
    """A fenced block that its content cannot end. Lines are kept."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")
    body = _UNSAFE.sub("\ufffd", lines)
    ticks = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", body)), default=0))
    return f"{ticks}{language}\n{body}\n{ticks}"


def label(text: str, most: int = 60) -> str:
    """Text for a diagram, reduced to letters, digits, underscore, space and full stop."""
    return clip(" ".join(re.sub(r"[^A-Za-z0-9_ .]", " ", text).split()), most).replace(ELLIPSIS, ".") or "unnamed"


def _plain(text: str) -> str:
    broken = _HASH.sub(rf"\g<0>{_GAP}", _LINKS.sub(_GAP, text))
    escaped = _LEADING.sub(r"\1\\\2", _SPECIAL.sub(r"\\\1", broken.replace("&", "&amp;")))
    return escaped.replace("<", "&lt;").replace("$", "<span>$</span>")
