"""What crosses the process border, as JSON: the order for a trial, and the observation that comes back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from triage_bot.core.arms import Arm
from triage_bot.core.findings import Environment
from triage_bot.core.remedy import Patch
from triage_bot.core.results import Failure, Outcome
from triage_bot.core.trials import Boundary, Coverage, Observation, Residue, Site, StreamUse


@dataclass(frozen=True)
class Order:
    """One trial to run."""

    node_id: str
    before: tuple[str, ...]
    """Node ids that run first, in the same process."""
    arm: Arm
    ordinal: int
    answer: str
    """Absolute path of the file that the child writes its answer to."""
    patch: Patch | None = None
    """Here its file is an absolute path."""

    def encode(self) -> dict[str, Any]:
        """As JSON values."""
        return {**asdict(self), "arm": str(self.arm)}

    @classmethod
    def decode(cls, record: Mapping[str, Any]) -> Order:
        """The order that was encoded."""
        patch = record["patch"]
        return cls(
            record["node_id"],
            tuple(record["before"]),
            Arm.parse(record["arm"]),
            record["ordinal"],
            record["answer"],
            Patch(**patch) if patch else None,
        )


@dataclass(frozen=True)
class Answer:
    """What a child told: the observation and what it ran on."""

    observation: Observation
    environment: Environment


def encode_observation(observation: Observation) -> dict[str, Any]:
    """As JSON values; ``decode_observation`` is the inverse."""
    return {**asdict(observation), "outcome": observation.outcome.value}


def decode_observation(record: Mapping[str, Any]) -> Observation:
    """The observation that was encoded. ``KeyError`` or ``TypeError`` when the record is not one."""
    failure = record["failure"]
    return Observation(
        outcome=Outcome(record["outcome"]),
        failure=Failure(**failure) if failure else None,
        seconds=record["seconds"],
        streams=tuple(_stream(stream) for stream in record["streams"]),
        boundaries=tuple(_boundary(boundary) for boundary in record["boundaries"]),
        coverage=Coverage(tuple(record["coverage"]["gaps"])),
        properties=tuple((name, value) for name, value in record["properties"]),
        marked_stream=record["marked_stream"],
        reason=record["reason"],
        loads_lazily=record["loads_lazily"],
        asked_in_vain=record["asked_in_vain"],
    )


def _stream(record: Mapping[str, Any]) -> StreamUse:
    created = record["created"]
    return StreamUse(record["name"], Site(**created) if created else None, record["in_suite"])


def _boundary(record: Mapping[str, Any]) -> Boundary:
    residues = tuple(
        Residue(_stream(residue["stream"]), residue["seconds"], residue["reused"]) for residue in record["residues"]
    )
    return Boundary(record["statement"], Site(**record["site"]), residues)
