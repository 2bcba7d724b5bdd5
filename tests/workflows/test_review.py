from __future__ import annotations

from dataclasses import replace

from tests.core.test_suggestions import PATH, SHOWN
from tests.memory_forge import HOME, RUN, MemoryForge
from tests.samples import LEAK, ORDERING, SHA, TEST, triage
from triage_bot.core import publication as plan
from triage_bot.core.host import ChangedFile, Run
from triage_bot.core.review import suggestion_body
from triage_bot.core.suggestions import Suggestion
from triage_bot.workflows.office import Office
from triage_bot.workflows.review import review_run


def reviewed(forge: MemoryForge, run: Run = RUN) -> list[plan.CreateReview]:
    review_run(Office(forge, HOME), run, lambda: [triage(LEAK, ORDERING)])
    return [write for write in forge.applied if isinstance(write, plan.CreateReview)]


def test_a_tried_fix_on_lines_of_the_diff_is_suggested() -> None:
    review = reviewed(MemoryForge(changed=[ChangedFile(PATH, SHOWN)]))[0]
    assert review.sha == SHA
    assert review.suggestions == (
        Suggestion(PATH, 37, 37, ("    copies.wait()", "    compute_stream.synchronize()"), TEST),
    )
    assert "it is suggested below" in review.body
    assert "**ordering bug** · confirmed" in review.body


def test_a_fix_outside_of_the_diff_stays_a_diff() -> None:
    review = reviewed(MemoryForge())[0]
    assert review.suggestions == ()
    assert "+    compute_stream.synchronize()" in review.body


def test_the_same_review_is_not_written_twice() -> None:
    forge = MemoryForge()
    reviewed(forge)
    assert len(reviewed(forge)) == 1


def test_a_run_that_is_not_believed_is_not_reviewed() -> None:
    for run in (replace(RUN, head_repository="mallory/kernels"), replace(RUN, head_sha="4c" * 20)):
        assert reviewed(MemoryForge(), run) == []


def test_two_fixes_of_the_same_line_are_not_both_suggested() -> None:
    forge = MemoryForge(changed=[ChangedFile(PATH, SHOWN)])
    review_run(Office(forge, HOME), RUN, lambda: [triage(LEAK, replace(LEAK, test=f"{TEST}[again]"))])
    assert [len(write.suggestions) for write in forge.applied if isinstance(write, plan.CreateReview)] == [1]


def test_a_suggestion_cannot_end_its_own_block() -> None:
    text = suggestion_body(Suggestion("a.py", 1, 1, ("```", "<b>@team</b>"), "t.py::x"))
    assert "````suggestion\n```\n<b>@team</b>\n````\n" in text
