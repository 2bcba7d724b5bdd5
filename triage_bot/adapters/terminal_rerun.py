"""What ``rerun`` shows a person: each trial with its question while it runs, and in the end what it all came to.

Test names and messages reach the terminal without control characters, and never as a workflow command.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.status import Status

from triage_bot.adapters.actions import harmless
from triage_bot.adapters.plain import plain
from triage_bot.core.arms import AS_IS
from triage_bot.core.experiment import Step
from triage_bot.core.explain import Clean
from triage_bot.core.findings import Finding, Triage
from triage_bot.core.results import Failure
from triage_bot.core.standing import explained
from triage_bot.core.trials import Trial
from triage_bot.core.wording import counted

WHY = 600
"""Longest explanation that is shown, in characters."""
_WORDS = {"passed": "green", "skipped": "yellow"}


class Progress:
    """Shows the trials of a triage as they run; everything goes to standard error."""

    def __init__(self) -> None:
        self._console = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)
        # Rich calls a log a terminal where FORCE_COLOR asks for colours in it; nothing moves there all the same.
        self._moves = sys.stderr.isatty()
        self._status: Status | None = None
        self._test = ""
        self._step: Step | None = None
        self._started = time.monotonic()

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self._still()

    def say(self, text: str) -> None:
        """One line for a person."""
        self._console.print(harmless(text))

    def starting(self, test: str, ordinal: int, step: Step) -> None:
        """A trial is about to run."""
        if test != self._test:
            self._test = test
            self.say(f"\n{plain(test)}")
        self._step = step
        if self._moves:
            self._status = self._console.status(f"{step.arm}: {plain(step.purpose)}")
            self._status.start()

    def observed(self, test: str, trial: Trial) -> None:
        """A trial has ended."""
        self._still()
        purpose = self._step.purpose if self._step else ""
        outcome = trial.observation.outcome.value
        self._console.print(f"  {trial.ordinal + 1:3d}  ", end="")
        self._console.print(f"{outcome:10s}", style=_WORDS.get(outcome, "red"), end="")
        told = f"{trial.observation.seconds:7.2f} s  {plain(str(trial.arm)):28s} {plain(purpose)}"
        # A person's terminal breaks a long line in the middle of a word; a log keeps it.
        self._console.print(plain(told, max(self._console.width - 17, 45)) if self._moves else told)

    def _still(self) -> None:
        """End the animation, which hides the cursor while it runs."""
        if self._status is not None:
            self._status.stop()
            self._status = None

    def elapsed(self) -> float:
        """Seconds since this display was made."""
        return time.monotonic() - self._started


def summary(triage: Triage, clean: Sequence[Clean], seconds: float) -> str:
    """What a tired person needs to know: verdict first, then why, then what to do."""
    blocks = [*(_finding(finding) for finding in triage.findings), *(_clean(one) for one in clean)]
    trials = sum(tally.runs + tally.failed_otherwise for finding in triage.findings for tally in finding.arms)
    trials += sum(tally.runs for one in clean for tally in one.arms)
    if not blocks:
        blocks.append(f"nothing to triage: none of {counted(triage.summary.tests, 'test')} failed")
    if trials:
        blocks.append(
            f"{counted(trials, 'trial')} in {seconds:.1f} s on {plain(triage.environment.device or 'this machine')}"
        )
    blocks += [f"note: {plain(problem.detail)}" for problem in triage.problems]
    return harmless("\n\n".join(blocks))


def _finding(finding: Finding) -> str:
    return "\n".join(_lines_of(finding))


def _lines_of(finding: Finding) -> Iterator[str]:
    latent = ", latent: it does not fail by itself" if finding.latent else ""
    yield f"{finding.verdict.value} ({finding.grade.value}{latent})  {plain(finding.test)}"
    if finding.failure is not None:
        yield f"  what   {plain(_told(finding.failure), WHY)}"
    yield f"  why    {plain(finding.why, WHY)}"
    if finding.witness is not None:
        boundary = finding.witness.boundary
        yield f"  where  {plain(boundary.site.file)}:{boundary.site.line}  {plain(boundary.statement)}"
        for residue in boundary.residues:
            made = residue.stream.created
            place = f", created at {plain(made.file)}:{made.line} in {plain(made.function)}" if made else ""
            yield f"         {1000 * residue.seconds:.0f} ms on {plain(residue.stream.name)}{place}"
    if finding.polluter is not None:
        yield f"  by     {plain(finding.polluter)}"
    if finding.arms:
        counts = "  ".join(f"{tally.arm} {tally.failed}/{tally.runs}" for tally in finding.arms)
        chance = f"  p = {finding.p_value:.2g}" if finding.p_value is not None else ""
        yield f"  proof  failed: {plain(counts)}{chance}"
    if finding.remedy is not None:
        tried = finding.remedy.tried
        yield f"  fix    tried {tried.runs} times under {tried.arm}, failed {tried.failed}:"
        yield from (f"         {plain(line)}" for line in finding.remedy.diff.splitlines())
    yield "  next   nothing needs you: the test leaks, not the change" if explained(finding) else "  next   look at it"


def _told(failure: Failure) -> str:
    """Its first line, behind its type, with its place."""
    words = next((line for line in failure.message.splitlines() if line.strip()), "")
    kind = "" if words.startswith(failure.type) else failure.type
    place = f"{failure.file}:{failure.line}" if failure.line else failure.file
    said = ": ".join(part for part in (kind, words) if part)
    return f"{said} ({place})" if place else said


def _clean(clean: Clean) -> str:
    trials = sum(tally.runs for tally in clean.arms)
    as_is = sum(tally.runs for tally in clean.arms if tally.arm == AS_IS)
    amplified = ", ".join(str(tally.arm) for tally in clean.arms if tally.arm != AS_IS)
    return "\n".join(
        [
            f"nothing to triage  {plain(clean.test)}",
            f"  why    it passed {'its one trial' if trials == 1 else f'all {trials} trials'}"
            + (f", also under {plain(amplified)}" if amplified else ""),
            f"  rate   {as_is} passes as-is rule out a failure rate of {clean.excluded_rate:.0%} or more (95 %)",
        ]
    )
