from __future__ import annotations

import re
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest

from tests.core.test_markdown import render, tags
from tests.samples import DIFF, LEAK, ORDERING, SHA, TEST, tally, triage
from triage_bot.core.evidence_view import gantt, repeat_command
from triage_bot.core.findings import Counts, Grade, Leaker, Problem, Reason, Remedy, Source, VerdictName
from triage_bot.core.marker import Marker
from triage_bot.core.report import LIMIT, Origin, comment
from triage_bot.core.results import Failure
from triage_bot.core.standing import Acceptance
from triage_bot.core.trials import Boundary, Residue, Site, StreamUse

PINNED = Path(__file__).parent / "comments"
ORIGIN = Origin(Marker(SHA, 71, 1, "2026-12-01T00:00:00Z"), "https://github.com/octo/kernels/actions/runs/71")


def first_line(text: str) -> str:
    return next(line for line in text.splitlines() if line.startswith("## ")).removeprefix("## ")


CRASHED = replace(
    triage(failed=0, passed=12, not_run=29),
    complete=False,
    problems=(Problem("not-finished", "worker gw0 crashed in tests/test_swap.py"),),
)
ACCEPTED = (Acceptance(ORDERING.test, "maria", "known since #12, fixed by @team in the next release"),)

COMMENTS = {
    "explained": comment(triage(LEAK), origin=ORIGIN),
    "needs-you": comment(triage(ORDERING, LEAK), origin=ORIGIN),
    "accepted": comment(triage(ORDERING, LEAK), acceptances=ACCEPTED, origin=ORIGIN),
    "green": comment(triage(), origin=ORIGIN),
    "hidden-retries": comment(triage(flaky=2), origin=ORIGIN),
    "crashed": comment(CRASHED, origin=ORIGIN),
    "local": comment(triage(LEAK)),
}


@pytest.mark.parametrize("name", COMMENTS)
def test_the_comment_is_pinned_whole(name: str) -> None:
    assert COMMENTS[name] == (PINNED / f"{name}.md").read_text()


def test_the_marker_is_the_first_byte() -> None:
    assert Marker.parse(COMMENTS["explained"]) == ORIGIN.marker


def test_a_confirmed_leak_of_the_test_is_explained_and_nothing_less_is() -> None:
    assert first_line(comment(triage(LEAK))) == "✅ 1 failure: explained. Nothing needs you."
    for doubt in (
        replace(LEAK, grade=Grade.SUSPECTED),
        replace(LEAK, witness=None),
        replace(LEAK, witness=replace(LEAK.witness, leaker=Leaker.CODE_UNDER_TEST)) if LEAK.witness else LEAK,
        replace(LEAK, verdict=VerdictName.FLAKY),
    ):
        assert first_line(comment(triage(doubt))) == "❌ 1 failure: needs you."


def test_failures_without_an_experiment_are_counted() -> None:
    assert first_line(comment(triage(LEAK, failed=3))) == "❌ 3 failures: 2 need you, 1 explained."
    assert first_line(comment(triage(failed=3))) == "❌ 3 failures, not triaged"


def test_a_latent_finding_is_told_apart_from_a_failure() -> None:
    latent = replace(ORDERING, latent=True)
    assert first_line(comment(triage(latent))) == "🟡 Nothing failed; 1 latent: only an amplifier shows it"
    assert first_line(comment(triage(latent, LEAK))) == "✅ 1 failure: explained, 1 latent. Nothing needs you."


def test_a_mass_failure_is_one_event() -> None:
    fallen = [
        replace(
            ORDERING,
            test=f"tests/test_all.py::test_{number}",
            verdict=VerdictName.INCONCLUSIVE,
            reason=Reason.MASS_FAILURE,
            why="1,054 of 1,060 tests failed: one event.",
        )
        for number in range(1_054)
    ]
    text = comment(replace(triage(*fallen), summary=Counts(tests=1_060, passed=6, failed=1_054)))
    assert first_line(text) == "❌ 1,054 of 1,060 tests failed together: one event"
    assert "and 1,044 more" in text
    assert len(text) < 2_000


def test_1054_failures_fit_and_what_was_cut_is_counted() -> None:
    many = [replace(ORDERING, test=f"tests/test_all.py::test_{number:04}") for number in range(1_054)]
    text = comment(replace(triage(*many), summary=Counts(tests=1_054, failed=1_054)), origin=ORIGIN)
    assert first_line(text) == "❌ 1,054 failures: 1,054 need you."
    shown = len(re.findall(r"^\*\*ordering bug\*\*", text, re.MULTILINE))
    cut = re.search(r"\*\*Cut to fit:\*\* ([\d,]+) more sections are not shown", text)
    assert cut
    assert shown + int(cut[1].replace(",", "")) == 1_054
    assert LIMIT - 1_000 < len(text) <= LIMIT


def test_evidence_gives_way_before_findings_do() -> None:
    text = comment(triage(ORDERING, LEAK), limit=1_200)
    assert ORDERING.test in text
    assert LEAK.test in text
    assert "evidence of 2 shown" in text
    assert len(text) <= 1_200


def test_characters_outside_the_basic_plane_count_twice() -> None:
    wide = [replace(ORDERING, test=f"t.py::{number}{'🔥' * 250}") for number in range(400)]
    assert len(comment(triage(*wide)).encode("utf-16-le")) // 2 <= LIMIT


def test_the_order_of_files_and_findings_changes_nothing() -> None:
    one = replace(triage(ORDERING), source=Source(job="a"))
    two = replace(triage(LEAK), source=Source(job="b"))
    three = replace(triage(replace(ORDERING, test="tests/z.py::t")), source=Source(job="c"))
    assert len({comment(*order) for order in permutations([one, two, three])}) == 1


def test_the_same_test_in_two_jobs_is_told_apart() -> None:
    jobs = [replace(triage(ORDERING), source=Source(job=job)) for job in ("H200", "A100")]
    text = comment(*jobs)
    assert first_line(text) == "❌ 2 failures: 2 need you."
    assert text.index("in `A100`") < text.index("in `H200`")


HOSTILE = "t.py::x[@team <b>|`\n```\n</details><!-- triage-bot v1 --> https://evil.example\n::error::pwn]"


def test_no_hostile_field_leaves_its_place() -> None:
    site = Site(HOSTILE, 1, HOSTILE)
    bad = replace(
        LEAK,
        test=HOSTILE,
        why=HOSTILE,
        failure=Failure(HOSTILE, HOSTILE, HOSTILE, 1),
        grade=Grade.SUSPECTED,
        polluter=HOSTILE,
        arms=(replace(tally("as-is", 5, 0), arm=replace(tally("as-is", 5, 0).arm, skewed=HOSTILE)),),
        witness=replace(LEAK.witness, boundary=Boundary(HOSTILE, site, (Residue(StreamUse(HOSTILE, site, True), 1.0),)))
        if LEAK.witness
        else None,
        remedy=Remedy(HOSTILE, HOSTILE, tally("patched", 5, 0)),
    )
    whole = replace(triage(bad), problems=(Problem(HOSTILE, HOSTILE),))
    text = comment(whole, acceptances=[Acceptance("other", HOSTILE, HOSTILE)])
    outside = re.sub(r"(?ms)^(`{3,})\w*\n.*?^\1$", "", text)
    spans = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", outside)
    assert "@team" not in spans
    assert "https://" not in spans
    assert "<b>" not in spans
    assert "<!--" not in spans
    assert spans.count("<details>") == spans.count("</details>")
    html = render(text)
    assert "<a " not in html
    assert tags(html) <= {
        *("h2", "h3", "p", "strong", "br", "code", "pre", "details", "summary", "sub", "ul", "li"),
        *("table", "thead", "tbody", "tr", "th", "td"),
    }


def test_the_chart_holds_only_plain_labels() -> None:
    assert LEAK.witness
    stream = StreamUse('x"; click : crit, 0 %%{init}', None, True)
    chart = gantt(
        replace(LEAK.witness, boundary=replace(LEAK.witness.boundary, residues=(Residue(stream, 0.0000004),)))
    )
    assert "  section x click crit 0 init\n  left over 0.0004 ms : crit, 0, 1\n" in chart


def test_the_command_survives_a_shell() -> None:
    nasty = replace(LEAK, test="tests/a b.py::test_x[$(reboot)'; `id`]")
    assert repeat_command(nasty) == (
        """triage-bot rerun --test 'tests/a b.py::test_x[$(reboot)'"'"'; `id`]' --suite 'tests/a b.py'"""
    )


def test_a_diff_that_is_too_long_is_named_instead() -> None:
    assert LEAK.remedy
    long = replace(LEAK, remedy=replace(LEAK.remedy, diff=DIFF * 100))
    assert "too long to show" in comment(triage(long))


def test_what_a_maintainer_accepted_names_who_and_why() -> None:
    text = comment(triage(LEAK), acceptances=[Acceptance(TEST, "maria", "known")])
    assert "Accepted by `maria`: known" in text
    assert first_line(text) == "✅ 1 failure: accepted. Nothing needs you."


def test_a_finding_without_a_trial_offers_no_command_that_would_repeat_it() -> None:
    lost = replace(
        LEAK,
        test="race.xml",
        verdict=VerdictName.INCONCLUSIVE,
        reason=Reason.RUNNER_CRASHED,
        failure=None,
        arms=(),
        p_value=None,
        rate=None,
        witness=None,
        remedy=None,
    )
    text = comment(triage(lost))
    assert "Repeat it" not in text
    assert "<details><summary>Evidence" not in text
