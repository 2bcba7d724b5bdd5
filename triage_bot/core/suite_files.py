"""Which files belong to a test suite, as far as their names tell: where a failure was raised rests on it.

Reports and trials both ask here: a failure whose place they told differently would never be found again.
"""

from __future__ import annotations

import re
from pathlib import PurePath

_HELPER = re.compile(r"(^|_)(helpers?|utils?|common|fixtures?|support|testing)(_|$)")


def named_as_helper(file: PurePath) -> bool:
    """Whether a file that stands beside the tests is theirs, by its name."""
    return _HELPER.search(file.stem) is not None


def named_for_pytest(file: PurePath) -> bool:
    """Whether pytest takes a file of this name for part of a suite without being told."""
    return file.name == "conftest.py"
