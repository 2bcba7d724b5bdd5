"""GitHub as the ``Forge``: PyGithub's objects to our facts, our writes to its calls. The only importer of ``github``.

Objects are lazy, so that a write is one request, and of a listed object only what the list holds is read: anything else
would be fetched one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any, TypeVar

import requests
from github import Auth, Github, GithubException
from github.WorkflowRun import WorkflowRun

from triage_bot.adapters import github_event, github_facts, github_json
from triage_bot.adapters.download import Downloads
from triage_bot.adapters.patience import HostAnswerError, Patience, retry_after, status_of, told
from triage_bot.core import publication as plan
from triage_bot.core.check import NAME
from triage_bot.core.findings import Triage
from triage_bot.core.host import ChangedFile, Check, Comment, Pull, Review, Run
from triage_bot.errors import CodeHostError

T = TypeVar("T")
ARTIFACT = "triage"
"""Name of the artifact in which a run leaves its results; ``triage-…`` where several jobs leave one each."""
ANNOTATIONS = 50
"""Annotations that GitHub takes in one request."""
_PULL = "pull-requests: write"


def connect(address: str, token: str, repository: str, patience: Patience, between_writes: float) -> GitHubForge:
    """The forge of one repository. The token goes into the clients and nowhere else."""
    client = Github(
        base_url=address,
        auth=Auth.Token(token),
        per_page=100,
        lazy=True,
        # Asking again is decided by ``Patience``: the client's own retries repeat a write that did succeed.
        retry=None,
        seconds_between_requests=0,
        seconds_between_writes=between_writes,
    )
    return GitHubForge(client, repository, patience, Downloads(token))


class GitHubForge:
    """One repository on GitHub, as the ``Forge`` port."""

    def __init__(self, client: Github, repository: str, patience: Patience, downloads: Downloads) -> None:
        self._client = client
        self._repository = client.get_repo(repository)
        self._patience = patience
        self._downloads = downloads

    def run(self, run_id: int) -> Run | None:
        """See ``Forge``, as for every method here."""
        found = self._maybe(lambda: self._repository.get_workflow_run(run_id).raw_data)
        return github_event.run(found) if found else None

    def pull(self, number: int) -> Pull | None:
        """A lazy object is fetched when its first fact is read."""
        return self._maybe(lambda: github_facts.pull(self._repository.get_pull(number)))

    def pulls_of_commit(self, sha: str) -> Sequence[Pull]:
        """GitHub answers 422 or 404 for a commit that it does not know."""
        commit = self._repository.get_commit(sha)
        return self._maybe(lambda: [github_facts.pull(pull) for pull in commit.get_pulls()]) or []

    def pulls_of_branch(self, repository: str, branch: str) -> Sequence[Pull]:
        """The host filters by owner and branch only; the repository is compared by whoever asks."""
        head = f"{repository.partition('/')[0]}:{branch}"
        return self._read(
            lambda: [github_facts.pull(pull) for pull in self._repository.get_pulls(state="open", head=head)]
        )

    def comments(self, number: int) -> Sequence[Comment]:
        """In the host's order, which is by age."""
        issue = self._repository.get_issue(number)
        return self._read(lambda: [github_facts.comment(comment) for comment in issue.get_comments()])

    def checks(self, sha: str, name: str) -> Sequence[Check]:
        """Of every app: an equal external id is what counts."""
        commit = self._repository.get_commit(sha)
        return self._read(lambda: [Check(it.id, it.external_id or "") for it in commit.get_check_runs(check_name=name)])

    def labels(self) -> Collection[str]:
        """All pages of them."""
        return self._read(lambda: [label.name for label in self._repository.get_labels()])

    def may_write(self, login: str) -> bool:
        """The host folds ``maintain`` into ``write`` here."""
        permission = self._maybe(lambda: self._repository.get_collaborator_permission(login))
        return permission in ("write", "admin")

    def files(self, number: int) -> Sequence[ChangedFile]:
        """The host leaves out patches that are too large."""
        pull = self._repository.get_pull(number)
        return self._read(lambda: [ChangedFile(it.filename, it.patch or "") for it in pull.get_files()])

    def reviews(self, number: int) -> Sequence[Review]:
        """All pages of them."""
        pull = self._repository.get_pull(number)
        return self._read(lambda: [Review(github_facts.login(it.user), it.body or "") for it in pull.get_reviews()])

    def triages(self, run_id: int) -> Sequence[Triage]:
        """Of artifacts with one name, the newest counts: a run that was tried again leaves several."""
        # A run that knows this one address is not fetched before its artifacts are listed.
        known = {"artifacts_url": f"{self._repository.url}/actions/runs/{run_id}/artifacts"}
        run = self._client.create_from_raw_data(WorkflowRun, known)
        listed = self._maybe(lambda: sorted(run.get_artifacts(), key=lambda it: it.id)) or []
        newest = {it.name: it for it in listed}
        wanted = [newest[name] for name in sorted(newest) if f"{name}-".startswith(f"{ARTIFACT}-")]
        addresses = [it.archive_download_url for it in wanted if not it.expired]
        found = [self._read(partial(self._downloads.triages, address)) for address in addresses]
        return [triage for triages in found for triage in triages]

    def apply(self, write: plan.Write) -> str:
        """One request, but for a check run with many annotations."""
        repository, nobody = self._repository, self._repository.get_issue(0)
        match write:
            case plan.CreateComment():
                return self._create_comment(write)
            case plan.EditComment():
                self._again(_PULL, lambda: nobody.get_comment(write.comment).edit(write.body))
            case plan.DeleteComment():
                self._gone(lambda: nobody.get_comment(write.comment).delete())
            case plan.CreateLabel(label):
                self._create_label(lambda: repository.create_label(label.name, label.color, label.description))
            case plan.AddLabels():
                self._again(_PULL, lambda: repository.get_issue(write.pull).add_to_labels(*write.names))
            case plan.RemoveLabel():
                self._gone(lambda: repository.get_issue(write.pull).remove_from_labels(write.name))
            case plan.CreateCheck():
                self._create_check(write)
            case plan.React():
                self._again(_PULL, lambda: nobody.get_comment(write.comment).create_reaction(write.reaction.value))
            case plan.Dispatch():
                self._dispatch(write)
            case plan.CreateReview():
                self._create_review(write)
        return ""

    def _create_comment(self, write: plan.CreateComment) -> str:
        issue = self._repository.get_issue(write.pull)

        def look() -> str | None:
            same = [comment.url for comment in self.comments(write.pull) if comment.body.strip() == write.body.strip()]
            return same[0] if same else None

        return self._write(_PULL, lambda: issue.create_comment(write.body).html_url, look)

    def _create_label(self, create: Callable[[], object]) -> None:
        try:
            self._again(_PULL, create)
        except CodeHostError as refusal:
            if status_of(refusal) != 422:  # made by somebody else since we looked, or by our own lost request
                raise

    def _create_check(self, write: plan.CreateCheck) -> None:
        check = write.check
        notes = [github_json.annotation(note) for note in check.annotations]
        output = {"title": check.title, "summary": check.summary}

        def look() -> int | None:
            return next((it.id for it in self.checks(check.sha, NAME) if it.external_id == check.external_id), None)

        def create() -> int:
            created = self._repository.create_check_run(
                name=NAME,
                head_sha=check.sha,
                external_id=check.external_id,
                status="completed",
                conclusion=check.conclusion.value,
                output={**output, "annotations": notes[:ANNOTATIONS]},
            )
            return created.id

        number = self._write("checks: write", create, look)
        for start in range(ANNOTATIONS, len(notes), ANNOTATIONS):
            more = {**output, "annotations": notes[start : start + ANNOTATIONS]}
            run = self._repository.get_check_run(number)
            self._again("checks: write", partial(run.edit, output=more))

    def _dispatch(self, write: plan.Dispatch) -> None:
        workflow = self._repository.get_workflow(write.workflow)

        def look() -> bool:
            raise CodeHostError(
                f"GitHub lost its answer to the start of {write.workflow}",
                "It may be running: look at the Actions tab before you ask again.",
            )

        start = partial(workflow.create_dispatch, write.branch, dict(write.inputs), throw=True)
        self._write("actions: write", start, look)

    def _create_review(self, write: plan.CreateReview) -> None:
        pull = self._repository.get_pull(write.pull)
        comments: Any = [github_json.review_comment(suggestion) for suggestion in write.suggestions]
        commit = self._repository.get_commit(write.sha)

        def look() -> bool | None:
            return any(past.body.strip() == write.body.strip() for past in self.reviews(write.pull)) or None

        def create() -> bool:
            # The list is of plain dictionaries, which is what the call wants, whatever its annotation says.
            pull.create_review(commit=commit, body=write.body, event="COMMENT", comments=comments)
            return True

        self._write(_PULL, create, look)

    def _gone(self, remove: Callable[[], object]) -> None:
        try:
            self._again(_PULL, remove)
        except CodeHostError as refusal:
            if status_of(refusal) != 404:  # somebody else, or our own lost request, has removed it
                raise

    def _again(self, permission: str, ask: Callable[[], object]) -> None:
        """A write that does no harm when it is done twice."""
        self._write(permission, ask, lambda: None)

    def _write(self, permission: str, ask: Callable[[], T], look: Callable[[], T | None]) -> T:
        with told(permission):
            return self._patience.write(lambda: _asked(ask), look)

    def _read(self, ask: Callable[[], T]) -> T:
        with told("contents: read, pull-requests: read, checks: read and actions: read"):
            return self._patience.read(lambda: _asked(ask))

    def _maybe(self, ask: Callable[[], T]) -> T | None:
        """None for what the host does not know."""
        try:
            return self._read(ask)
        except CodeHostError as refusal:
            if status_of(refusal) not in (404, 422):
                raise
            return None


def _asked(ask: Callable[[], T]) -> T:
    """One request, or one list with its pages; whatever the client raises becomes a ``HostAnswerError``."""
    try:
        return ask()
    except GithubException as error:
        headers = error.headers or {}
        data = error.data if isinstance(error.data, dict) else {}
        details = "; ".join(str(detail) for detail in data.get("errors") or [])
        message = " ".join(filter(None, [str(data.get("message") or error.data or "no reason given"), details]))
        wants = headers.get("x-accepted-github-permissions", "")
        raise HostAnswerError(error.status, message[:500], retry_after(headers), wants) from error
    except requests.RequestException as error:
        raise HostAnswerError(0, f"no answer: {type(error).__name__}") from error
