"""One finding of a ``triage.json``, to JSON and back."""

from __future__ import annotations

from triage_bot.adapters.strict import TEXT, Node
from triage_bot.core.arms import Arm
from triage_bot.core.findings import (
    ArmTally,
    Finding,
    Grade,
    Leaker,
    Reason,
    Remedy,
    VerdictName,
    Witness,
)
from triage_bot.core.results import Failure
from triage_bot.core.trials import Boundary, Residue, Site, StreamUse

MAX_ARMS = 200
MAX_STREAMS = 100
MAX_SECONDS = 1e9
MESSAGE = 1_000
"""Characters of a failure's message that are written."""

Json = dict[str, object]


def write_finding(finding: Finding) -> Json:
    """A finding as it stands in the document."""
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


def read_finding(node: Node) -> Finding:
    """A finding that somebody wrote. Raises ``UnreadableInputError``."""
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
        file=fields["file"].text_or_empty(),
        line=fields["line"].integer_or_zero(),
    )
    return failure, fields["signature"].text(), fields["family"].text_or_empty()


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
    return Site(fields["file"].text(), fields["line"].integer(), fields["function"].text_or_empty())


def _remedy(node: Node) -> Remedy:
    fields = node.fields(("file", "diff", "tried"))
    tried = fields["tried"].fields(("arm", "runs", "failed"))
    tally = ArmTally(_arm(tried["arm"]), tried["runs"].integer(), tried["failed"].integer(), 0, 0.0)
    return Remedy(fields["file"].text(), fields["diff"].text(), tally)
