from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from tests.samples import LEAK, ORDERING, triage
from triage_bot.adapters import artifact, wire
from triage_bot.errors import UnreadableInputError


def zipped(folder: Path, members: dict[str, bytes]) -> Path:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    path = folder / "artifact.zip"
    path.write_bytes(data.getvalue())
    return path


def test_the_results_of_all_jobs_are_found_in_an_archive(tmp_path: Path) -> None:
    members = {
        "h200/triage.json": wire.write(triage(LEAK)),
        "a100/triage.json": wire.write(triage(ORDERING)),
        "race.xml": b"<testsuite/>",
    }
    assert artifact.load(zipped(tmp_path, members)) == (triage(LEAK), triage(ORDERING))


def test_a_bare_document_is_a_result(tmp_path: Path) -> None:
    (tmp_path / "triage.json").write_bytes(wire.write(triage(LEAK)))
    assert artifact.load(tmp_path / "triage.json") == (triage(LEAK),)


def test_an_archive_without_a_result_holds_none(tmp_path: Path) -> None:
    assert artifact.load(zipped(tmp_path, {"triage.html": b"<p>"})) == ()


@pytest.mark.parametrize("name", ["../triage.json", "/etc/triage.json", "a/../../triage.json", "..\\triage.json"])
def test_a_member_that_points_out_of_the_archive_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UnreadableInputError, match="points out"):
        artifact.load(zipped(tmp_path, {name: wire.write(triage(LEAK))}))
    assert [path.name for path in tmp_path.iterdir()] == ["artifact.zip"]


def test_a_bomb_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInputError):
        artifact.load(zipped(tmp_path, {"triage.json": b" " * (20 * 2**20)}))


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04 and nothing else", b"\x00" * 100])
def test_a_broken_file_is_one_error(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "artifact.zip"
    path.write_bytes(data)
    with pytest.raises(UnreadableInputError):
        artifact.load(path)
