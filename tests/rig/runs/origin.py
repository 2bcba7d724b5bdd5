"""The rig's own repository: this project's files as the default branch, and commits that pull requests bring."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[3]
AUTHOR = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "octocat"), ("EMAIL", "octocat@example.invalid"), ("DATE", "2026-01-01T00:00:00Z"))
}


class Origin:
    """A git repository in a folder, at ``main`` after it is made. Fixed dates: the same files give the same hashes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("config", "uploadpack.allowAnySHA1InWant", "true")
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            capture_output=True,
            check=True,
        ).stdout.decode()
        for name in filter(None, listed.split("\0")):
            # A file that is deleted but not yet committed is still listed.
            if (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, folder / name)
        self.main = self._commit("The project")

    def git(self, *arguments: str) -> str:
        environ = {**os.environ, **AUTHOR, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        done = subprocess.run(
            ["git", *arguments], cwd=self.folder, env=environ, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(f"git {' '.join(arguments)}: {done.stderr}")
        return done.stdout.strip()

    def commit(self, parent: str, files: dict[str, str | None], message: str = "A change") -> str:
        """A commit on top of another with these files changed, or removed where None; the branch stays as it was."""
        self.git("checkout", "--quiet", "--force", "--detach", parent)
        for name, text in files.items():
            path = self.folder / name
            if text is None:
                path.unlink()
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
        sha = self._commit(message)
        self.git("branch", f"kept-{sha[:12]}", sha)
        self.git("checkout", "--quiet", "--force", "main")
        return sha

    def show(self, sha: str, path: str) -> str:
        """A file as it is in a commit."""
        return self.git("show", f"{sha}:{path}")

    def patches(self, sha: str) -> dict[str, str]:
        """The changes of a commit against ``main``, file by file, as the code host shows them."""
        names = self.git("diff", "--name-only", f"main...{sha}").splitlines()
        diffs = {name: self.git("diff", f"main...{sha}", "--", name) for name in names}
        return {name: diff[diff.index("@@") :] for name, diff in diffs.items() if "@@" in diff}

    def _commit(self, message: str) -> str:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self.git("rev-parse", "HEAD")
