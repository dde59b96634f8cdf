"""Addresses of the page, for its daemon and terminals' links.

A key stands for a folder: the beginning of its hash, the same every day, and no part of a path.
"""

import hashlib
from typing import Final

HOST: Final = "127.0.0.1"

UNUSED_S: Final = 1_800.0
"""Seconds without a request until the page closes and its browsers lose access."""

GLOBAL_KEY: Final = "global"
"""Key of the scope outside all projects."""

KEY_DIGITS: Final = 16
"""64 bits, so that no two folders of a person share a key."""


def key_of(root: str) -> str:
    """Return the key of the project at *root*."""
    return hashlib.sha256(root.encode("utf-8", "surrogatepass")).hexdigest()[:KEY_DIGITS]
