"""Reviewing a pull request with the fixes that were tried."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from triage_bot.core.believed import Disbelieved, OfFork, believe, target
from triage_bot.core.findings import Triage
from triage_bot.core.host import Pull, Run
from triage_bot.core.review import review
from triage_bot.workflows.office import Office
from triage_bot.workflows.results import pulls_of


def review_run(office: Office, run: Run, load: Callable[[], Sequence[Triage]]) -> str:
    """Review the pull request of a run that is believed; one line for the log."""
    claim = believe(run, office.home)
    if isinstance(claim, Disbelieved):
        return f"Nothing is reviewed: {claim.reason}."
    if isinstance(claim, OfFork):
        return "Nothing is reviewed: a run in a fork's hands proves nothing."
    pull = target(claim, office.home.repository, pulls_of(office, claim))
    if isinstance(pull, Disbelieved):
        return f"Nothing is reviewed: {pull.reason}."
    return review_pull(office, pull, load())


def review_pull(office: Office, pull: Pull, triages: Sequence[Triage]) -> str:
    """Review a pull request with these results; one line for the log."""
    files = office.forge.files(pull.number)
    planned = review(pull, triages, files, office.forge.reviews(pull.number), office.home.author)
    if planned is None:
        return f"#{pull.number} is not reviewed: there is nothing that was not said before."
    office.write([planned])
    return f"#{pull.number} is reviewed with {len(planned.suggestions)} suggestions."
