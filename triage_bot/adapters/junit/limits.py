"""How much of a report is read before it is refused, so that hostile ones cost neither memory nor time."""

from __future__ import annotations

from triage_bot.errors import UnreadableInputError

CHUNK = 256 * 1024
"""Bytes read at a time."""
DEEPEST = 256
"""Nesting of elements."""
LONGEST_TAG = 8 * 1024**2
"""Bytes of one tag with its attributes, or of one comment. Failure messages with whole tensors reach a few MiB."""
LONGEST_TEXT = 128 * 1024**2
"""Bytes without any element between them."""
LARGEST_REPORT = 2 * 1024**3
"""Bytes of one file, unpacked."""
MOST_NAMES = 10_000
"""Different element and attribute names; the parser keeps each."""
MOST_TESTS = 3_000_000
"""Test case elements of one file."""
MOST_SUITES = 100_000
"""Suite elements of one file."""
MESSAGE_LIMIT = 4_000
"""Characters kept of a failure's message."""
LONGEST_NAME = 2_000
"""Characters of a test's name; a longer one is cut and told apart by a digest."""
MOST_NAMED = 200_000_000
"""Characters of all names together."""
MOST_DETAILS = 64_000_000
"""Characters of all failures together, each counted with what it costs beside its text. The rest is counted only."""


def refused(why: str) -> UnreadableInputError:
    """The error that ends the reading of a hostile document."""
    return UnreadableInputError(why, "If this report is genuine, have it written anew or split it.")
