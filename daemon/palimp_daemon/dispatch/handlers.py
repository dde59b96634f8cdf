"""Which functions answer which operation."""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from palimp_daemon.features.memories.recall import checked, recall
from palimp_daemon.features.memories.save import draft, store_draft, store_drafts
from palimp_daemon.features.memories.tags import list_tags
from palimp_daemon.features.removed_code.handlers import dismiss_change, list_changes, show_change
from palimp_daemon.features.sessions.history import list_sessions
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import Store

Works = Callable[[Sequence[tuple[RequestContext, Any]]], list[Any]]
"""Answers several requests, each at its request context, all of one store."""


class Handler(NamedTuple):
    """The parts of a handler; see the package."""

    prepare: Callable[[Any], Any]
    work: Callable[[RequestContext, Any], Any]
    works: Works | None = None
    """Does what *work* does, for several requests."""


def _as_it_is(request: Any) -> Any:
    return request


HANDLERS: Final[dict[str, Handler]] = {
    "save_memory": Handler(draft, store_draft, store_drafts),
    "recall": Handler(checked, recall),
    "tags": Handler(_as_it_is, list_tags),
    "sessions": Handler(_as_it_is, list_sessions),
    "list_changes": Handler(_as_it_is, list_changes),
    "show_change": Handler(_as_it_is, show_change),
    "dismiss_change": Handler(_as_it_is, dismiss_change),
}
"""Handlers by operation name. `health` and `stop` are answered by `calls`, which needs no store for them."""


def _together(works: Works) -> Callable[[Store, Sequence[Any]], list[Any]]:
    def together(store: Store, parts: Sequence[tuple[Callable[[Store], RequestContext], Any]]) -> list[Any]:
        return works([(request_context(store), prepared) for request_context, prepared in parts])

    return together


TOGETHER: Final = {name: _together(handler.works) for name, handler in HANDLERS.items() if handler.works}
"""Does several requests of an operation together, given of each what makes its context and what was prepared."""
