"""``triage.json``: the domain's Triage to bytes, and back from bytes that nobody vouches for.

Reading what was written gives the same Triage, but for what the format does not carry: a failure's traceback and phase,
the function of a boundary, and of the trial of a remedy everything but runs and failures.
"""

from __future__ import annotations

import json
from pathlib import Path

from triage_bot.adapters.strict import TEXT, Node, parse
from triage_bot.core.arms import Arm
from triage_bot.core.findings import (
    ArmTally,
    Counts,
    Environment,
    Finding,
    Grade,
    Leaker,
    Problem,
    Reason,
    Remedy,
    Source,
    Triage,
    VerdictName,
    Witness,
)
from triage_bot.core.results import Failure
from triage_bot.core.trials import Boundary, Residue, Site, StreamUse
from triage_bot.errors import UnreadableInputError

SCHEMA = "triage-bot/v1"
MAX_BYTES = 16 * 2**20
"""Largest file that is read."""
MAX_FINDINGS = 10_000
MAX_ARMS = 200
MAX_STREAMS = 100
MAX_PROBLEMS = 1_000
MAX_SECONDS = 1e9
MESSAGE = 1_000
"""Characters of a failure's message that are written."""

Json = dict[str, object]


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
        "findings": [_finding_json(finding) for finding in triage.findings[:MAX_FINDINGS]],
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
                key: _text_or_empty(node)
                for key, node in root["environment"].fields(tuple(vars(Environment()))).items()
            }
        ),
        summary=Counts(**{key: summary[key].integer() for key in vars(Counts())}),
        complete=summary["complete"].flag(),
        problems=tuple(_problem(node) for node in summary["problems"].items(MAX_PROBLEMS)),
        findings=tuple(_finding(node) for node in root["findings"].items(MAX_FINDINGS)),
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


def _finding_json(finding: Finding) -> Json:
    return {
        "test": finding.test,
        "verdict": finding.verdict.value,
        "grade": finding.grade.value,
        "reason": finding.reason.value if finding.reason else None,
        "why": finding.why,
        "failure": _failure_json(finding),
        "arms": [{"arm": str(tally.arm), **_numbers(tally)} for tally in finding.arms[:MAX_ARMS]],
        "p_value": finding.p_value,
        "latent": finding.latent,
        "rate": {"low": finding.rate[0], "high": finding.rate[1]} if finding.rate else None,
        "witness": _witness_json(finding.witness) if finding.witness else None,
        "polluter": finding.polluter,
        "remedy": _remedy_json(finding.remedy) if finding.remedy else None,
    }


def _numbers(tally: ArmTally) -> Json:
    return {
        "runs": tally.runs,
        "failed": tally.failed,
        "failed_otherwise": tally.failed_otherwise,
        "seconds": round(tally.seconds, 3),
    }


def _failure_json(finding: Finding) -> Json | None:
    if finding.failure is None:
        return None
    return {
        "type": finding.failure.type,
        "message": finding.failure.message[:MESSAGE],
        "file": finding.failure.file or None,
        "line": finding.failure.line or None,
        "signature": finding.signature[:TEXT],
        "family": finding.family or None,
    }


def _witness_json(witness: Witness) -> Json:
    boundary = witness.boundary
    return {
        "leaker": witness.leaker.value,
        "boundary": {"file": boundary.site.file, "line": boundary.site.line, "statement": boundary.statement},
        "streams": [
            {
                "name": residue.stream.name,
                "created": vars(residue.stream.created) if residue.stream.created else None,
                "seconds": round(residue.seconds, 6),
            }
            for residue in boundary.residues[:MAX_STREAMS]
        ],
    }


def _remedy_json(remedy: Remedy) -> Json:
    tried = {"arm": str(remedy.tried.arm), "runs": remedy.tried.runs, "failed": remedy.tried.failed}
    return {"file": remedy.file, "diff": remedy.diff, "tried": tried}


def _text_or_empty(node: Node) -> str:
    return node.maybe(Node.text) or ""


def _integer_or_zero(node: Node) -> int:
    return node.maybe(Node.integer) or 0


def _source(node: Node) -> Source:
    fields = node.fields(tuple(vars(Source())))
    return Source(
        repository=_text_or_empty(fields["repository"]),
        sha=_text_or_empty(fields["sha"]),
        run_id=_integer_or_zero(fields["run_id"]),
        run_attempt=_integer_or_zero(fields["run_attempt"]),
        job=_text_or_empty(fields["job"]),
        event=_text_or_empty(fields["event"]),
    )


def _problem(node: Node) -> Problem:
    fields = node.fields(("kind", "detail"))
    return Problem(fields["kind"].text(), fields["detail"].text())


def _finding(node: Node) -> Finding:
    required = ("test", "verdict", "grade", "why", "failure", "arms", "p_value", "latent")
    fields = node.fields((*required, "rate", "witness", "polluter", "remedy"), optional=("reason",))
    failure = fields["failure"].maybe(_failure)
    return Finding(
        test=fields["test"].text(),
        verdict=fields["verdict"].member(VerdictName),
        grade=fields["grade"].member(Grade),
        reason=fields["reason"].maybe(lambda reason: reason.member(Reason)),
        why=fields["why"].text(),
        failure=failure[0] if failure else None,
        signature=failure[1] if failure else "",
        family=failure[2] if failure else "",
        arms=tuple(_tally(tally) for tally in fields["arms"].items(MAX_ARMS)),
        p_value=fields["p_value"].maybe(lambda p: p.number(0, 1)),
        latent=fields["latent"].flag(),
        rate=fields["rate"].maybe(_rate),
        witness=fields["witness"].maybe(_witness),
        polluter=fields["polluter"].maybe(Node.text),
        remedy=fields["remedy"].maybe(_remedy),
    )


def _failure(node: Node) -> tuple[Failure, str, str]:
    fields = node.fields(("type", "message", "signature", "family"), optional=("file", "line"))
    failure = Failure(
        type=fields["type"].text(),
        message=fields["message"].text(),
        file=_text_or_empty(fields["file"]),
        line=_integer_or_zero(fields["line"]),
    )
    return failure, fields["signature"].text(), _text_or_empty(fields["family"])


def _rate(node: Node) -> tuple[float, float]:
    fields = node.fields(("low", "high"))
    low = fields["low"].number(0, 1)
    return low, fields["high"].number(low, 1)


def _arm(node: Node) -> Arm:
    try:
        return Arm.parse(node.text())
    except ValueError:
        node.refuse("the name of an arm")


def _tally(node: Node) -> ArmTally:
    fields = node.fields(("arm", "runs", "failed", "failed_otherwise", "seconds"))
    tally = ArmTally(
        arm=_arm(fields["arm"]),
        runs=fields["runs"].integer(),
        failed=fields["failed"].integer(),
        failed_otherwise=fields["failed_otherwise"].integer(),
        seconds=fields["seconds"].number(0, MAX_SECONDS),
    )
    if tally.failed + tally.failed_otherwise > tally.runs:
        node.refuse("possible: more failures than runs")
    return tally


def _witness(node: Node) -> Witness:
    fields = node.fields(("leaker", "boundary", "streams"))
    leaker = fields["leaker"].member(Leaker)
    boundary = fields["boundary"].fields(("file", "line", "statement"))
    residues = tuple(_residue(stream, leaker) for stream in fields["streams"].items(MAX_STREAMS))
    site = Site(boundary["file"].text(), boundary["line"].integer())
    return Witness(leaker, Boundary(boundary["statement"].text(), site, residues))


def _residue(node: Node, leaker: Leaker) -> Residue:
    fields = node.fields(("name", "created", "seconds"))
    created = fields["created"].maybe(_site)
    stream = StreamUse(fields["name"].text(), created, in_suite=leaker is Leaker.TEST)
    return Residue(stream, fields["seconds"].number(0, MAX_SECONDS))


def _site(node: Node) -> Site:
    fields = node.fields(("file", "line", "function"))
    return Site(fields["file"].text(), fields["line"].integer(), _text_or_empty(fields["function"]))


def _remedy(node: Node) -> Remedy:
    fields = node.fields(("file", "diff", "tried"))
    tried = fields["tried"].fields(("arm", "runs", "failed"))
    tally = ArmTally(_arm(tried["arm"]), tried["runs"].integer(), tried["failed"].integer(), 0, 0.0)
    return Remedy(fields["file"].text(), fields["diff"].text(), tally)
