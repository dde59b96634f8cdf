"""all-MiniLM-L6-v2 with int8 weights, on one thread. See `embedding.worker.int8_weights`.

Its vectors are the means of the last layer over the tokens (Reimers and Gurevych, 2019).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from palimp_daemon.embedding.worker.int8_weights import with_small_weights
from palimp_daemon.embedding.worker.protobuf import WireFormatError
from palimp_daemon.embedding.worker.runtime import onnxruntime
from palimp_daemon.embedding.worker.vectors import as_bytes
from palimp_daemon.embedding.worker.wordpiece import token_numbers

DIMENSIONS: Final = 384

TOKENS_MAX: Final = 512
"""Tokens of a text that are read, the most that the model has places for. It was trained with 256; reading on is
better than not, see docs/adr/0017."""

INPUTS: Final = ("input_ids", "attention_mask", "token_type_ids")

GIVES_BACK: Final = ("memory.enable_memory_arena_shrinkage", "cpu:0")
"""After each run onnxruntime gives back what a text needed, 120 MB for one of TOKENS_MAX, which it keeps otherwise."""


SLOWER: Final = ["SkipLayerNormFusion"]
"""What is to make models faster, and does not: a short text takes a tenth less without it."""


def _with_small_weights(path: Path) -> bytes | None:
    """Return what is loaded instead of the model at *path*; None: that one, or onnxruntime will say what is wrong."""
    try:
        return with_small_weights(path.read_bytes())
    except WireFormatError:
        return None


class Model:
    """A loaded model."""

    def __init__(self, path: Path) -> None:
        runtime: Any = onnxruntime
        options = runtime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        model = _with_small_weights(path) or str(path)
        self._session = runtime.InferenceSession(
            model, options, providers=["CPUExecutionProvider"], disabled_optimizers=SLOWER
        )
        self._run_options = runtime.RunOptions()
        self._run_options.add_run_config_entry(*GIVES_BACK)

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return the vector of each text: DIMENSIONS signed bytes."""
        numbers = [token_numbers(text, TOKENS_MAX) for text in texts]
        longest = max(map(len, numbers))
        ids = np.zeros((len(numbers), longest), np.int64)
        mask = np.zeros_like(ids)
        for row, each in enumerate(numbers):
            ids[row, : len(each)] = each
            mask[row, : len(each)] = 1
        inputs = dict(zip(INPUTS, (ids, mask, np.zeros_like(ids)), strict=True))
        hidden: Any
        (hidden,) = self._session.run(None, inputs, self._run_options)
        weights = mask[:, :, None]
        means: Any = (hidden * weights).sum(axis=1) / weights.sum(axis=1)
        return as_bytes(means)
