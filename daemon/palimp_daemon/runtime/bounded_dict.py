"""A mapping that forgets its oldest entries."""

from collections import OrderedDict
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class BoundedDict(OrderedDict[K, V]):
    """At most *length_max* entries; adding another drops the oldest."""

    def __init__(self, length_max: int) -> None:
        super().__init__()
        self._length_max = length_max

    def __setitem__(self, key: K, value: V) -> None:
        super().__setitem__(key, value)
        self.move_to_end(key)
        if len(self) > self._length_max:
            self.popitem(last=False)
