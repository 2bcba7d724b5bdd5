from __future__ import annotations

from dataclasses import replace

from tests.core.test_report import ORIGIN
from tests.samples import LEAK, ORDERING, SHA, triage
from triage_bot.core.check import MAX_ANNOTATIONS, SUMMARY, Annotation, check_run
from triage_bot.core.findings import Counts
from triage_bot.core.results import Failure
from triage_bot.core.standing import Acceptance, Conclusion

ACCEPTED = [Acceptance(ORDERING.test, "maria", "known")]


def test_it_fails_while_anything_needs_a_person() -> None:
    assert check_run([triage(LEAK, ORDERING)], [], ORIGIN).conclusion is Conclusion.FAILURE
    assert check_run([replace(triage(), complete=False)], [], ORIGIN).conclusion is Conclusion.FAILURE
    assert check_run([triage(failed=1)], [], ORIGIN).conclusion is Conclusion.FAILURE


def test_it_is_neutral_when_all_is_explained_or_accepted_and_green_only_when_nothing_failed() -> None:
    assert check_run([triage(LEAK)], [], ORIGIN).conclusion is Conclusion.NEUTRAL
    assert check_run([triage(LEAK, ORDERING)], ACCEPTED, ORIGIN).conclusion is Conclusion.NEUTRAL
    assert check_run([triage(replace(ORDERING, latent=True))], [], ORIGIN).conclusion is Conclusion.NEUTRAL
    assert check_run([triage()], [], ORIGIN).conclusion is Conclusion.SUCCESS


def test_each_finding_is_annotated_where_to_look() -> None:
    check = check_run([triage(LEAK, ORDERING)], [], ORIGIN)
    assert check.title == "❌ 2 failures: 1 needs you, 1 explained."
    assert not check.summary.startswith("<!--")
    assert check.annotations == (
        Annotation(
            "tests/test_swap.py",
            31,
            "failure",
            "ordering bug, confirmed",
            "tests/test_swap.py::test_load_reads_after_copy: "
            "A wait is missing inside one phase: it fails drained too, and passes when nothing runs at once.",
        ),
        Annotation(
            "tests/test_worker.py", 49, "notice", "cross-phase contamination, confirmed", check.annotations[1].message
        ),
    )


def test_a_place_outside_of_the_repository_is_not_annotated() -> None:
    for path in ("/etc/passwd", "../../x.py"):
        bad = replace(ORDERING, failure=Failure("E", "m", path, 1))
        assert check_run([triage(bad)], [], ORIGIN).annotations == ()


def test_a_failure_without_a_place_is_annotated_at_its_file() -> None:
    nowhere = replace(ORDERING, failure=None)
    note = check_run([triage(nowhere)], [], ORIGIN).annotations[0]
    assert (note.path, note.line) == ("tests/test_swap.py", 1)


def test_a_thousand_findings_stay_within_the_limits() -> None:
    many = [replace(ORDERING, test=f"tests/a.py::test_{number}") for number in range(1_054)]
    check = check_run([replace(triage(*many), summary=Counts(tests=1_054, failed=1_054))], [], ORIGIN)
    assert len(check.annotations) == MAX_ANNOTATIONS
    assert len(check.summary) <= SUMMARY


def test_equal_content_has_an_equal_identity() -> None:
    one, two = (check_run([triage(LEAK)], [], ORIGIN) for _ in range(2))
    assert one.external_id == two.external_id
    assert replace(one, sha=SHA[::-1]).external_id != one.external_id
