"""A code host in memory: the ``Forge`` port with nothing behind it but what a test put there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from tests.samples import SHA
from triage_bot.core import publication as plan
from triage_bot.core.findings import Triage
from triage_bot.core.host import ChangedFile, Check, Comment, Home, Pull, Review, Run
from triage_bot.errors import CodeHostError, PermissionRefusedError

HOME = Home("octo/kernels", "main")
PULL = Pull(7, True, SHA, "octo/kernels", frozenset(), "https://github.com/octo/kernels/pull/7")
RUN = Run(
    id=71,
    attempt=1,
    event="pull_request",
    workflow=".github/workflows/gpu-race.yml",
    repository="octo/kernels",
    head_repository="octo/kernels",
    head_branch="topic",
    head_sha=SHA,
    title="A change",
    conclusion="failure",
    finished="2026-12-01T00:00:00Z",
    url="https://github.com/octo/kernels/actions/runs/71",
)


@dataclass
class MemoryForge:
    """Keeps what is written; a comment made here is a minute younger than the one before."""

    pulls: list[Pull] = field(default_factory=lambda: [PULL])
    runs: list[Run] = field(default_factory=lambda: [RUN])
    talk: list[Comment] = field(default_factory=list)
    made: list[plan.CreateCheck] = field(default_factory=list)
    known_labels: list[str] = field(default_factory=list)
    writers: set[str] = field(default_factory=lambda: {"maria"})
    changed: list[ChangedFile] = field(default_factory=list)
    past_reviews: list[Review] = field(default_factory=list)
    results: dict[int, Sequence[Triage]] = field(default_factory=dict)
    applied: list[plan.Write] = field(default_factory=list)
    forbidden: tuple[type, ...] = ()
    """Writes that the token may not do."""
    lost: tuple[type, ...] = ()
    """Writes that the host refuses for another reason."""
    before_create: Callable[[], object] | None = None
    """What happens at the same moment as the next comment is created."""

    def say(self, author: str, body: str, *, bot: bool = False, edited: bool = False) -> Comment:
        number = len(self.talk) + 101
        created = f"2026-12-01T01:{number - 100:02}:00Z"
        updated = "2026-12-02T00:00:00Z" if edited else created
        self.talk.append(Comment(number, author, bot, body, created, updated, f"https://github.com/#{number}"))
        return self.talk[-1]

    def run(self, run_id: int) -> Run | None:
        return next((run for run in self.runs if run.id == run_id), None)

    def pull(self, number: int) -> Pull | None:
        return next((pull for pull in self.pulls if pull.number == number), None)

    def pulls_of_commit(self, sha: str) -> Sequence[Pull]:
        return [pull for pull in self.pulls if pull.head_sha == sha]

    def pulls_of_branch(self, repository: str, branch: str) -> Sequence[Pull]:
        return [pull for pull in self.pulls if pull.head_repository == repository]

    def comments(self, number: int) -> Sequence[Comment]:
        return list(self.talk)

    def checks(self, sha: str, name: str) -> Sequence[Check]:
        return [Check(at, it.check.external_id) for at, it in enumerate(self.made) if it.check.sha == sha]

    def labels(self) -> Sequence[str]:
        return self.known_labels

    def may_write(self, login: str) -> bool:
        return login in self.writers

    def files(self, number: int) -> Sequence[ChangedFile]:
        return self.changed

    def reviews(self, number: int) -> Sequence[Review]:
        return self.past_reviews

    def triages(self, run_id: int) -> Sequence[Triage]:
        return self.results.get(run_id, ())

    def apply(self, write: plan.Write) -> str:
        if isinstance(write, self.forbidden):
            raise PermissionRefusedError("Resource not accessible by integration", "Give the job the permission.")
        if isinstance(write, self.lost):
            raise CodeHostError("no answer", "Try again.")
        self.applied.append(write)
        if isinstance(write, plan.CreateComment):
            if self.before_create:
                happens, self.before_create = self.before_create, None
                happens()
            return self.say(HOME.author, write.body, bot=True).url
        if isinstance(write, plan.EditComment):
            self.talk = [replace(it, body=write.body) if it.id == write.comment else it for it in self.talk]
        elif isinstance(write, plan.DeleteComment):
            self.talk = [comment for comment in self.talk if comment.id != write.comment]
        elif isinstance(write, plan.CreateLabel):
            self.known_labels.append(write.label.name)
        elif isinstance(write, (plan.AddLabels, plan.RemoveLabel)):
            self._relabel(write)
        elif isinstance(write, plan.CreateCheck):
            self.made.append(write)
        elif isinstance(write, plan.CreateReview):
            self.past_reviews.append(Review(HOME.author, write.body))
        return ""

    def _relabel(self, write: plan.AddLabels | plan.RemoveLabel) -> None:
        names = write.names if isinstance(write, plan.AddLabels) else (write.name,)
        for at, pull in enumerate(self.pulls):
            if pull.number == write.pull:
                added = isinstance(write, plan.AddLabels)
                labels = pull.labels | set(names) if added else pull.labels - set(names)
                self.pulls[at] = replace(pull, labels=labels)
