"""Which functions answer which operation."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from palimp_daemon.operations.desk import Desk
from palimp_daemon.operations.recall import checked, recall
from palimp_daemon.operations.save_memory import draft, store_draft


class Handler(NamedTuple):
    """The two parts of a handler; see the package."""

    prepare: Callable[[Any], Any]
    work: Callable[[Desk, Any], Any]


HANDLERS: Final[dict[str, Handler]] = {
    "save_memory": Handler(draft, store_draft),
    "recall": Handler(checked, recall),
}
"""Handlers by operation name. `health` and `stop` are answered by `calls`, which needs no store for them."""
