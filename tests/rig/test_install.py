"""What the GPU job installs where no Python is at hand."""

from __future__ import annotations

import os
import subprocess
import zipfile
from pathlib import Path

from tests.rig.runs.workflows import load

STEPS = load("gpu-race.yml")["jobs"]["race"]["steps"]
(SCRIPT,) = [step["run"] for step in STEPS if step.get("id") == "prepare"]


def wheel(folder: Path, name: str) -> str:
    """A package of one empty module; its file name."""
    file = f"{name}-1-py3-none-any.whl"
    about = f"{name}-1.dist-info"
    with zipfile.ZipFile(folder / file, "w") as archive:
        archive.writestr(f"{name}.py", "")
        archive.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
        archive.writestr(
            f"{about}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{about}/RECORD", "")
    return file


def test_a_line_may_name_a_file_of_requirements_that_is_in_the_repository(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "requirements-gpu.txt").write_text(f"./{wheel(work, 'of_the_suite')}\n", encoding="utf-8")
    before = {"requirements-gpu.txt", "of_the_suite-1-py3-none-any.whl", wheel(work, "of_the_line")}
    given = {
        "INSTALL": "-r requirements-gpu.txt\n./of_the_line-1-py3-none-any.whl\n",
        "READY": "",
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
    }
    subprocess.run(["bash", "-eo", "pipefail", "-c", SCRIPT], cwd=work, env={**os.environ, **given}, check=True)

    python = (tmp_path / "output").read_text(encoding="utf-8").strip().removeprefix("python=")
    subprocess.run([python, "-c", "import of_the_suite, of_the_line"], check=True)
    assert {path.name for path in work.iterdir()} == before
