"""Which functions answer which operation."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from palimp_daemon.operations.changes import dismiss_change, list_changes, show_change
from palimp_daemon.operations.desk import Desk
from palimp_daemon.operations.recall import checked, recall
from palimp_daemon.operations.save_memory import draft, store_draft
from palimp_daemon.operations.sessions import list_sessions


class Handler(NamedTuple):
    """The two parts of a handler; see the package."""

    prepare: Callable[[Any], Any]
    work: Callable[[Desk, Any], Any]


def _as_it_is(request: Any) -> Any:
    return request


HANDLERS: Final[dict[str, Handler]] = {
    "save_memory": Handler(draft, store_draft),
    "recall": Handler(checked, recall),
    "sessions": Handler(_as_it_is, list_sessions),
    "list_changes": Handler(_as_it_is, list_changes),
    "show_change": Handler(_as_it_is, show_change),
    "dismiss_change": Handler(_as_it_is, dismiss_change),
}
"""Handlers by operation name. `health` and `stop` are answered by `calls`, which needs no store for them."""
