from __future__ import annotations

import pytest

from tests.samples import DIFF, LEAK, TEST, tally
from triage_bot.core.findings import Remedy
from triage_bot.core.host import ChangedFile
from triage_bot.core.suggestions import Suggestion, suggestions

PATH = "tests/test_worker.py"
SHOWN = """\
@@ -30,2 +35,5 @@ def _drive_store():
     before
+        compute_stream.record_event()
+    copies.wait()
     return corrupt
+
"""


def remedy(diff: str) -> Remedy:
    return Remedy(PATH, diff, tally("patched", 5, 0))


def test_an_inserted_line_takes_the_line_before_it_along() -> None:
    assert LEAK.remedy
    assert suggestions(LEAK.remedy, [ChangedFile(PATH, SHOWN)], TEST) == (
        Suggestion(PATH, 37, 37, ("    copies.wait()", "    compute_stream.synchronize()"), TEST),
    )


def test_the_file_may_lie_deeper_in_the_repository_than_in_the_suite() -> None:
    assert LEAK.remedy
    assert suggestions(LEAK.remedy, [ChangedFile(f"gpu/{PATH}", SHOWN)], TEST)[0].path == f"gpu/{PATH}"


def test_a_replacement_a_deletion_and_an_insertion_on_top() -> None:
    shown = ChangedFile(PATH, "@@ -0,0 +1,4 @@\n+one\n+two\n+three\n+four\n")
    diff = "@@ -1,4 +1,4 @@\n+zero\n one\n-two\n+TWO\n three\n-four\n"
    assert suggestions(remedy(diff), [shown], TEST) == (
        Suggestion(PATH, 1, 1, ("zero", "one"), TEST),
        Suggestion(PATH, 2, 2, ("TWO",), TEST),
        Suggestion(PATH, 3, 4, ("three",), TEST),
    )


@pytest.mark.parametrize(
    "files",
    [
        [],
        [ChangedFile("tests/other.py", SHOWN)],
        [ChangedFile(PATH, "")],
        [ChangedFile(PATH, "@@ -1,1 +1,1 @@\n-a\n+b\n")],
        [ChangedFile(PATH, SHOWN.replace("copies.wait", "copies.join"))],
        [ChangedFile(f"a/{PATH}", SHOWN), ChangedFile(f"b/{PATH}", SHOWN)],
    ],
)
def test_lines_that_the_pull_request_does_not_show_are_not_suggested(files: list[ChangedFile]) -> None:
    assert suggestions(remedy(DIFF), files, TEST) == ()


def test_half_a_fix_is_never_suggested() -> None:
    second = "@@ -90,2 +91,3 @@\n far\n+away\n line\n"
    assert suggestions(remedy(DIFF + second), [ChangedFile(PATH, SHOWN)], TEST) == ()
