"""The first page: its verdicts are the ones there are, the comment that it quotes is the one that the demo prints."""

from __future__ import annotations

import json
import re
from statistics import median
from typing import Any

import pytest

from benchmarks import agreement
from benchmarks.emulated_lab import EmulatedLab
from kvrace_tests import demo
from tests.docs.pages import ROOT, first_cells, section, text
from triage_bot.core.findings import Counts, Source, Triage, VerdictName
from triage_bot.core.report import comment
from triage_bot.core.results import Failure
from triage_bot.core.suspects import Suspect
from triage_bot.workflows.triage import Policy, triage

README = ROOT / "README.md"
MODULE = "kvrace_tests.specimens.emulated.test_leaky_store"
TEST = "test_store_orders_after_compute_write"
FIRST_RED_SEED = 16


class Bystander:
    """Watches a triage, and stops its clock."""

    def starting(self, *_: object) -> None:
        pass

    def observed(self, *_: object) -> None:
        pass

    def seconds(self) -> float:
        return 0.0


def demo_comment() -> str:
    """What the demo prints, by the same experiment without its processes."""
    file = f"{MODULE.replace('.', '/')}.py"
    lines = text(ROOT / file).splitlines()
    line = next(number for number, line in enumerate(lines, 1) if "even with the barrier" in line)
    message = "store raced compute even with the barrier: 1 corrupt\nassert 1 == 0"
    reported = Failure("AssertionError", message, file, line)
    lab, bystander = EmulatedLab(MODULE, FIRST_RED_SEED + 1), Bystander()
    done = triage([Suspect(f"{file}::{TEST}", reported)], lab, bystander, Policy(), bystander)
    return comment(Triage(Source(), lab.environment(), Counts(2, 1, 1), True, (), done.findings))


def quoted_pieces() -> list[str]:
    """The quoted lines, cut where the page leaves something out and where code begins and ends."""
    lines = [line.removeprefix(">").removeprefix(" ") for line in text(README).splitlines() if line.startswith(">")]
    pieces = re.split(r"^(?:…|```\w*)$", "\n".join(lines), flags=re.MULTILINE)
    return [piece.strip("\n") for piece in pieces if piece.strip()]


def test_the_quoted_comment_is_what_the_demo_prints() -> None:
    printed = demo_comment()
    for piece in quoted_pieces():
        assert piece in printed, f"{piece}\n--- is not in ---\n{printed}"


def test_the_demo_runs_the_test_that_the_comment_is_about() -> None:
    assert demo.SUITE.stem == MODULE.rpartition(".")[2]


def test_every_verdict_is_listed_and_no_other() -> None:
    assert first_cells(section(README, "The verdicts")) == [f"`{verdict.value}`" for verdict in VerdictName]


def result(name: str) -> dict[str, Any]:
    kept: dict[str, Any] = json.loads(text(ROOT / "benchmarks" / "results" / name))
    return kept


def spent_on_fixes(step: dict[str, Any]) -> tuple[float, int]:
    fixes = [arm for arm in step["judged"][0]["arms"] if "patched" in arm["arm"]]
    return sum(arm["seconds"] for arm in fixes), sum(arm["runs"] for arm in fixes)


def numbers(pattern: str) -> list[float]:
    found = re.search(pattern, section(README, "Measured"), re.DOTALL)
    assert found is not None, pattern
    return [float(number) for number in found.groups()]


def test_the_times_told_are_about_the_ones_that_are_kept() -> None:
    steps = result("h200_core.json")["steps"]
    origin = [steps[f"origin-{number}"] for number in range(3)]
    to_verdict = median(step["seconds"] - spent_on_fixes(step)[0] for step in origin)
    trials = origin[0]["judged"][0]["trials"]
    kept = [to_verdict, trials - spent_on_fixes(origin[0])[1], median(step["seconds"] for step in origin), trials]
    assert numbers(r"(\d+) s, (\d+) trials; right 3.*?(\d+) s, (\d+) trials") == pytest.approx(kept, abs=0.5)
    assert all(step["right"] for step in origin)


def test_the_costs_told_are_about_the_ones_that_are_kept() -> None:
    steps = result("h200_costs.json")["steps"]
    kept = [steps[f"rerun-{way}"]["seconds_99"] for way in ("flakefinder", "rerunfailures", "plain")]
    kept += [median(steps["trial"]["warm_seconds"]), median(steps["trial"]["fresh_seconds"])]
    told = numbers(r"(\d+) s with pytest-f.*?(\d+) s with.*?(\d+) s of.*?([\d.]+) s;.*?([\d.]+) s \|")
    assert told == pytest.approx(kept, rel=0.02)
    assert steps["healthy"]["clean"]
    assert [test["trials"] for test in steps["healthy"]["tests"]] == [60] * 11


def test_the_counts_told_are_the_ones_that_are_kept() -> None:
    steps = result("h200_core.json")["steps"]
    judged = [one for key, step in steps.items() if key.startswith("round-") for one in step["judged"]]
    others, true = (int(number) for number in numbers(r"\| (\d+) other tests.*?\| (\d+) true verdicts"))
    assert (len({one["test"] for one in judged}), sum(one["right"] for one in judged)) == (others, true)
    assert len(judged) == others
    suites = [step for key, step in steps.items() if key.startswith("suite-")]
    assert [step["exit"] for step in suites] == [0] * 20
    assert max(step["seconds"] for step in suites) <= numbers(r"of 20, (\d+) s at most")[0]


def test_the_experiments_told_are_those_that_are_kept() -> None:
    kept = result("accuracy-emulated.json")
    told = section(README, "Measured")
    assert f"{kept['triages']:,} experiments on tests of known truth, {kept['seeds']} seeds of each" in told
    assert f"none wrong, {kept['undecided']} `inconclusive`" in told
    assert not kept["wrong"]


def test_the_agreement_told_is_the_one_that_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    kept = ROOT / "benchmarks" / "results"
    agreement.main(["compare", str(kept / "agreement-emulated.json"), str(kept / "agreement-cuda.json")])
    found = re.search(r"(\d+) arms compared: (\d+) apart", capsys.readouterr().out)
    assert found is not None
    compared, apart = (int(number) for number in found.groups())
    assert f"agreed in {compared - apart} of the {compared} arms" in section(README, "Measured")
