"""A lock for each key."""

from collections import OrderedDict
from typing import Final

import trio

LOCKS_MAX: Final = 256
"""Locks kept; unheld ones can be made again."""


class KeyedLocks:
    """Locks by key, made on demand."""

    def __init__(self) -> None:
        self._locks: OrderedDict[str, trio.Lock] = OrderedDict()

    def lock(self, key: str) -> trio.Lock:
        """Return the lock of *key*."""
        lock = self._locks.pop(key, None) or trio.Lock()
        self._locks[key] = lock
        for other in [each for each, held in self._locks.items() if not held.locked()][: len(self._locks) - LOCKS_MAX]:
            del self._locks[other]
        return lock

    def is_busy(self, key: str) -> bool:
        """Tell whether the lock of *key* is held."""
        return key in self._locks and self._locks[key].locked()
