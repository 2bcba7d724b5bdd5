"""The remedy: a fix that is proposed from the witness, and shown only after it held where the failure was certain."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count

from triage_bot.core.arms import Arm
from triage_bot.core.evidence import Design, Evidence, Reading
from triage_bot.core.experiment import Step
from triage_bot.core.findings import Finding, Grade, Leaker, Remedy, VerdictName
from triage_bot.core.judgement import held_arm
from triage_bot.core.remedy import Patch, home, propose, unified
from triage_bot.core.results import Outcome
from triage_bot.core.trials import Trial

FEWEST = 4
"""Trials of a fix at least: 5 of 5 against 0 of 4 is p = 0.008. More where the failure is less than certain."""
BY_LUCK = 0.01
"""How probable it may be that a fix which changes nothing passes all its trials."""

Run = Callable[[Step, Patch], "Trial | None"]
"""Runs a trial with a patch; None when the budget is spent."""


def with_remedy(
    finding: Finding, design: Design, trials: Sequence[Trial], source: Callable[[str], str | None], run: Run
) -> Finding:
    """The finding with its fix, if there is one that held. ``trials``: all so far, those of the fix included."""
    if not _fixable(finding) or finding.witness is None:
        return finding
    file = home(finding.witness)
    text = source(file) if file else None
    patch = propose(finding.witness, text) if text is not None else None
    evidence = Evidence.of(design, trials)
    held = held_arm(design, evidence)
    if patch is None or text is None or held is None:
        return finding
    arm = replace(held, patched=True)
    enough = _enough(evidence, held)
    after = _try(arm, patch, enough, evidence, run)
    whole = Evidence.of(design, [*trials, *after])
    told = replace(finding, arms=whole.tallies())
    tried = whole.under(arm)
    if len(tried) < enough or not all(_passed(read.trial) for read in tried):
        return told
    return replace(told, remedy=Remedy(patch.file, unified(patch.file, text, patch.source), whole.tally(arm)))


def _fixable(finding: Finding) -> bool:
    return (
        finding.verdict in (VerdictName.CROSS_PHASE_CONTAMINATION, VerdictName.CROSS_TEST_CONTAMINATION)
        and finding.grade is Grade.CONFIRMED
        and finding.witness is not None
        and finding.witness.leaker is Leaker.TEST
    )


def _enough(evidence: Evidence, held: Arm) -> int:
    """So many passes that luck explains them at ``BY_LUCK`` only, going by how often it failed without the fix."""
    compared = [read.reading for read in evidence.under(held, search=False) if read.usable]
    passes = compared.count(Reading.CLEAN) / len(compared)
    return next(enough for enough in count(FEWEST) if passes**enough <= BY_LUCK)


def _try(arm: Arm, patch: Patch, enough: int, evidence: Evidence, run: Run) -> list[Trial]:
    """Trials of the fix until there are enough, or one does not pass: a fix that failed once is no fix."""
    tried = [read.trial for read in evidence.under(arm)]
    new: list[Trial] = []
    while len(tried) + len(new) < enough and all(map(_passed, [*tried, *new])):
        before = evidence.before if arm.in_order else ()
        trial = run(Step(arm, search=False, purpose="does the fix hold where it failed?", before=before), patch)
        if trial is None:
            break
        new.append(trial)
    return new


def _passed(trial: Trial) -> bool:
    return trial.observation.outcome is Outcome.PASSED
