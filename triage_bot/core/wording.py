"""Small pieces of English that messages share."""

from __future__ import annotations


def counted(count: int, noun: str) -> str:
    """``1 test``, ``2,000 tests``; the noun in the singular, of those that take an s."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
