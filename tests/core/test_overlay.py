"""A later experiment on one test, over an earlier result of the suite."""

from __future__ import annotations

from dataclasses import replace

from tests.samples import LEAK, ORDERING, triage
from triage_bot.core.findings import Grade
from triage_bot.core.overlay import overlay

WEAKER = replace(LEAK, grade=Grade.SUSPECTED, latent=True)


def test_the_later_finding_on_a_test_takes_the_place_of_the_earlier_one() -> None:
    (merged,) = overlay([triage(LEAK, ORDERING)], [triage(WEAKER)])
    assert [(finding.test, finding.grade) for finding in merged.findings] == [
        (LEAK.test, Grade.SUSPECTED),
        (ORDERING.test, ORDERING.grade),
    ]


def test_a_test_that_was_red_does_not_become_latent_when_it_is_tried_again_by_name() -> None:
    (merged,) = overlay([triage(LEAK)], [triage(WEAKER)])
    assert not merged.findings[0].latent


def test_what_was_latent_before_stays_so() -> None:
    (merged,) = overlay([triage(replace(LEAK, latent=True))], [triage(WEAKER)])
    assert merged.findings[0].latent


def test_a_finding_on_a_test_that_the_suite_did_not_report_is_added() -> None:
    merged = overlay([triage(LEAK)], [triage(replace(ORDERING, latent=True))])
    assert [finding.test for it in merged for finding in it.findings] == [LEAK.test, ORDERING.test]
