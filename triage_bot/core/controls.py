"""Whether a failure is only that of a control which no longer raced: by its words, or by when it comes.

A self-validating test fails when its control phase did not race. Slowing a stream may close that window, and running
one operation at a time always does: such a failure says nothing about the code under test. Limits: a claim about time
is never taken for a control, nor is a failure that also comes by itself or stretched.
"""

from __future__ import annotations

from collections.abc import Sequence

from triage_bot.core.alike import alike
from triage_bot.core.arms import Arm, Isolation
from triage_bot.core.deadlines import speaks_of_time
from triage_bot.core.results import Failure
from triage_bot.core.signatures import VACUOUS_CONTROL, family
from triage_bot.core.trials import Trial

ONE_AT_A_TIME = Arm(isolation=Isolation.SERIALIZED)
"""Nothing is delayed on purpose, and nothing runs at once: what fails here alone wants a race."""
_CLAIMS = ("AssertionError", "Failed")
"""What a test raises itself: ``assert``, ``pytest.fail``, ``pytest.raises``."""


def lost_control(failure: Failure, trials: Sequence[Trial]) -> bool:
    """Whether these trials show that ``failure`` comes because a control did not race."""
    if family(failure) == VACUOUS_CONTROL:
        return True
    if failure.type.rpartition(".")[2] not in _CLAIMS or speaks_of_time(failure):
        return False
    serialized = [trial.arm.isolation is Isolation.SERIALIZED for trial in trials if _fails_so(trial, failure)]
    return bool(serialized) and all(serialized)


def _fails_so(trial: Trial, failure: Failure) -> bool:
    """Whether it fails alike with no single stream slowed, which may close a window as well as open one."""
    seen = trial.observation.failure if trial.observation.outcome.bad else None
    return seen is not None and trial.arm.skewed is None and alike(seen, failure)
