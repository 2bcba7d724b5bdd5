"""Fetching an artifact: from the API's address over a redirect to a host that must not see the token."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import requests

from triage_bot.adapters import artifact
from triage_bot.adapters.patience import HostAnswerError, retry_after
from triage_bot.core.findings import Triage
from triage_bot.errors import UnreadableInputError

MAX_ARCHIVE = 512 * 2**20
"""Bytes that are downloaded at most."""
_TIMEOUT = 60
_PIECE = 2**18
_SAID = 500


class Downloads:
    """Downloads with a token. Not a record, so that no message can show it."""

    def __init__(self, token: str) -> None:
        self._headers = {"Authorization": f"Bearer {token}"}

    def triages(self, address: str) -> Sequence[Triage]:
        """The results in the archive at that address. Raises ``HostAnswerError`` or ``UnreadableInputError``."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "artifact.zip"
            self._fetch(address, path)
            return artifact.load(path)

    def _fetch(self, address: str, path: Path) -> None:
        """``requests`` follows the redirect and leaves the header behind when the host changes."""
        try:
            with requests.get(address, headers=self._headers, stream=True, timeout=_TIMEOUT) as answer:
                if answer.status_code != 200:
                    said = answer.raw.read(_SAID, decode_content=True).decode("utf-8", "replace")
                    raise HostAnswerError(answer.status_code, f"{answer.reason}: {said}", retry_after(answer.headers))
                size = 0
                with path.open("wb") as file:
                    for piece in answer.iter_content(_PIECE):
                        size += len(piece)
                        if size > MAX_ARCHIVE:
                            raise UnreadableInputError(
                                f"the artifact is larger than {MAX_ARCHIVE // 2**20} MiB",
                                "Upload less: triage.json and the reports are all that is needed.",
                            )
                        file.write(piece)
        except requests.RequestException as error:
            raise HostAnswerError(0, f"the artifact could not be fetched: {type(error).__name__}") from None
