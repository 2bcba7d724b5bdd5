"""``[tool.triage-bot]``: its keys, and what happens to a table that is not as it should be."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import click
import pytest

from triage_bot.adapters.config import KEYS, defaults
from triage_bot.errors import UsageError


def written(folder: Path, text: str) -> Path:
    (folder / "pyproject.toml").write_text(text)
    return folder


def test_each_key_is_a_default_of_the_command_that_takes_it(tmp_path: Path) -> None:
    written(tmp_path, '[tool.triage-bot]\nreruns = 7\nbudget = "5m"\nlabels = false\nfail-on = ["broken"]\n')
    assert defaults(tmp_path) == {
        "rerun": {"reruns": 7, "budget": "5m", "fail_on": ["broken"]},
        "publish": {"labels": False},
    }


@pytest.mark.parametrize("key", KEYS)
def test_every_key_is_also_an_option(key: str) -> None:
    _, name, parameter = KEYS[key]
    command: click.Command = import_module(f"triage_bot.cli.{name}").command
    (option,) = [option for option in command.params if option.name == parameter]
    assert f"--{key}" in option.opts


def test_the_nearest_file_counts_and_its_paths_start_where_it_is(tmp_path: Path) -> None:
    written(tmp_path, '[tool.triage-bot]\nsuite = ["tests/gpu"]\n')
    inner = tmp_path / "src" / "deep"
    inner.mkdir(parents=True)
    assert defaults(inner) == {"rerun": {"suite": [str(tmp_path / "tests" / "gpu")]}}
    written(tmp_path / "src", "[project]\n")
    assert defaults(inner) == {}


def test_an_unknown_key_names_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no key 'stream-test'") as refused:
        defaults(written(tmp_path, '[tool.triage-bot]\nstream-test = ["a"]\n'))
    assert "did you mean 'stream-tests'?" in refused.value.advice


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("reruns = '9'", "a whole number"),
        ("reruns = true", "a whole number"),
        ("suite = 'tests'", "a list of strings"),
        ("suite = [1]", "a list of strings"),
        ("budget = 600", "a string"),
        ("labels = 1", "true or false"),
    ],
)
def test_a_value_of_another_type_says_which_is_wanted(tmp_path: Path, line: str, wanted: str) -> None:
    with pytest.raises(UsageError, match=line.split(maxsplit=1)[0]) as refused:
        defaults(written(tmp_path, f"[tool.triage-bot]\n{line}\n"))
    assert wanted in refused.value.advice


@pytest.mark.parametrize("text", ["[tool", "a = \xff".encode("latin-1"), "a = 1\na = 2\n"])
def test_a_file_that_is_not_toml_is_one_error(tmp_path: Path, text: str | bytes) -> None:
    (tmp_path / "pyproject.toml").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(UsageError, match=r"pyproject\.toml is not TOML"):
        defaults(tmp_path)


@pytest.mark.parametrize("text", ["tool = 3\n", "[tool]\ntriage-bot = 3\n", "[[tool.triage-bot]]\nreruns = 3\n"])
def test_a_table_that_is_none_is_one_error(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError, match="is no table"):
        defaults(written(tmp_path, text))
