"""Run all-MiniLM-L6-v2 with int8 weights on one thread.

A vector is the mean of the last layer over the tokens (Reimers and Gurevych, 2019).
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
"""Tokens of a text: the model's positions. It was trained with 256; more are better, see docs/adr/0017."""

INPUTS: Final = ("input_ids", "attention_mask", "token_type_ids")

GIVES_BACK: Final = ("memory.enable_memory_arena_shrinkage", "cpu:0")
"""Has onnxruntime free a text's memory after each run: 120 MB for TOKENS_MAX."""


SLOWER: Final = ["SkipLayerNormFusion"]
"""Optimization that makes a short text a tenth slower."""


class Model:
    """A loaded model."""

    def __init__(self, path: Path) -> None:
        runtime: Any = onnxruntime
        options = runtime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            model = with_small_weights(path.read_bytes()) or str(path)
        except WireFormatError:
            model = str(path)  # onnxruntime says what is wrong
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
