"""``triage.json``: the domain's Triage to bytes, and back from bytes that nobody vouches for.

Reading what was written gives the same Triage, but for what the format does not carry: a failure's traceback and phase,
the function of a boundary, and of the trial of a remedy everything but runs and failures.
"""

from __future__ import annotations

import json
from pathlib import Path

from triage_bot.adapters.strict import Node, parse
from triage_bot.adapters.wire_finding import Json, read_finding, write_finding
from triage_bot.core.findings import Counts, Environment, Problem, Source, Triage
from triage_bot.errors import UnreadableInputError

SCHEMA = "triage-bot/v1"
MAX_BYTES = 16 * 2**20
"""Largest file that is read."""
MAX_FINDINGS = 10_000
MAX_PROBLEMS = 1_000


def write(triage: Triage) -> bytes:
    """The document of a triage. Equal triages give equal bytes."""
    document = {
        "schema": SCHEMA,
        "source": _source_json(triage.source),
        "environment": {key: value or None for key, value in vars(triage.environment).items()},
        "summary": {
            **vars(triage.summary),
            "complete": triage.complete,
            "problems": [vars(problem) for problem in triage.problems[:MAX_PROBLEMS]],
        },
        "findings": [write_finding(finding) for finding in triage.findings[:MAX_FINDINGS]],
    }
    # "replace", because a test may print half a surrogate pair, and the reader refuses one.
    return (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode("utf-8", "replace")


def read(data: bytes, name: str = "triage.json") -> Triage:
    """The triage in a document. Raises ``UnreadableInputError`` for anything that ``write`` could not have made."""
    if len(data) > MAX_BYTES:
        raise _too_large(name)
    root = parse(data, name).fields(("schema", "source", "environment", "summary", "findings"))
    if root["schema"].value != SCHEMA:
        root["schema"].refuse(f"{SCHEMA!r}, the only schema that this version reads")
    summary = root["summary"].fields((*vars(Counts()), "complete", "problems"))
    return Triage(
        source=_source(root["source"]),
        environment=Environment(
            **{
                key: node.text_or_empty()
                for key, node in root["environment"].fields(tuple(vars(Environment()))).items()
            }
        ),
        summary=Counts(**{key: summary[key].integer() for key in vars(Counts())}),
        complete=summary["complete"].flag(),
        problems=tuple(_problem(node) for node in summary["problems"].items(MAX_PROBLEMS)),
        findings=tuple(read_finding(node) for node in root["findings"].items(MAX_FINDINGS)),
    )


def load(path: Path) -> Triage:
    """The triage in a file; a file that is too large is refused before it is in memory."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise UnreadableInputError(
            f"{path} cannot be read: {error.strerror}",
            "Check the path, and that the download step before this one worked.",
        ) from None
    return read(data, path.name)


def _too_large(name: str) -> UnreadableInputError:
    return UnreadableInputError(
        f"{name} is larger than {MAX_BYTES // 2**20} MiB", "No run of triage-bot writes such a file; look at who did."
    )


def _source_json(source: Source) -> Json:
    return {key: value or None for key, value in vars(source).items()}


def _source(node: Node) -> Source:
    fields = node.fields(tuple(vars(Source())))
    return Source(
        repository=fields["repository"].text_or_empty(),
        sha=fields["sha"].text_or_empty(),
        run_id=fields["run_id"].integer_or_zero(),
        run_attempt=fields["run_attempt"].integer_or_zero(),
        job=fields["job"].text_or_empty(),
        event=fields["event"].text_or_empty(),
    )


def _problem(node: Node) -> Problem:
    fields = node.fields(("kind", "detail"))
    return Problem(fields["kind"].text(), fields["detail"].text())
