"""Which function answers which operation."""

from collections.abc import Callable
from typing import Any, Final

from palimp_daemon.operations.desk import Desk
from palimp_daemon.operations.recall import recall
from palimp_daemon.operations.save_memory import save_memory

HANDLERS: Final[dict[str, Callable[[Desk, Any], Any]]] = {
    "save_memory": save_memory,
    "recall": recall,
}
"""Handlers by operation name. `health` and `stop` are answered by `calls`, which needs no store for them."""
