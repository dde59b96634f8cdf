"""Keep the vectors of texts in a file beside the system's temporary files: each text is embedded once for all runs.

A model is loaded with the first text that is not kept; delete the file to have all of them embedded anew.
"""

import sqlite3
import tempfile
from collections.abc import Sequence
from getpass import getuser
from pathlib import Path
from typing import Any

from palimp_daemon.embedding.models import Model

FILE = Path(tempfile.gettempdir()) / f"palimp-bench-vectors-{getuser()}.db"


class KeptVectors:
    """A model that embeds only texts that no run has embedded before."""

    def __init__(self, model: Model, file: Path = FILE) -> None:
        self._model = model
        self._loaded: Any = None
        self._known = sqlite3.connect(file, isolation_level=None, timeout=60)
        self._known.execute("PRAGMA journal_mode = WAL")
        self._known.execute("PRAGMA synchronous = OFF")
        self._known.execute("CREATE TABLE IF NOT EXISTS vectors (model, text, vector, PRIMARY KEY (model, text))")

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return the vector of each of *texts*."""
        return [self._kept(text) or self._made(text) for text in texts]

    def _kept(self, text: str) -> bytes | None:
        found = self._known.execute(
            "SELECT vector FROM vectors WHERE model = ? AND text = ?", (self._model.key, text)
        ).fetchone()
        return found[0] if found else None

    def _made(self, text: str) -> bytes:
        if self._loaded is None:
            from palimp_daemon.embedding.worker.__main__ import load_model  # noqa: PLC0415  palimp[semantic] only

            self._loaded = load_model(self._model.file.runtime, self._model.file.path)
        vector: bytes = self._loaded.embed([text])[0]
        self._known.execute("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", (self._model.key, text, vector))
        return vector
