"""Where a triage is made."""

from __future__ import annotations

from triage_bot.adapters.job import source
from triage_bot.core.findings import Source


def test_actions_tells_where_it_is() -> None:
    environ = {
        "GITHUB_REPOSITORY": "octo/kernels",
        "GITHUB_SHA": "1f" * 20,
        "GITHUB_RUN_ID": "71",
        "GITHUB_RUN_ATTEMPT": "2",
        "GITHUB_JOB": "race",
        "GITHUB_EVENT_NAME": "push",
    }
    assert source(environ) == Source("octo/kernels", "1f" * 20, 71, 2, "race", "push")


def test_at_a_desk_nothing_is_known_and_junk_is_no_number() -> None:
    assert source({}) == Source()
    assert source({"GITHUB_RUN_ID": "7²", "GITHUB_RUN_ATTEMPT": "-1"}) == Source()
