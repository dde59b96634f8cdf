"""`recall`: search, view, purge and restore memories.

Purging and restoring take names only, so that an agent selects first. Names are looked up in the caller's project and
the global scope, never in another project.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from palimp_daemon.features.memories.find import find_memories
from palimp_daemon.features.memories.history_view import history_told
from palimp_daemon.features.memories.memory_names import rows_of_names
from palimp_daemon.features.memories.recall_answer import RecallRows, answer
from palimp_daemon.features.memories.recording import recording
from palimp_daemon.features.removed_code.removed_code_handlers import is_hunk, recall_removed
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.tables import memory_rows
from palimp_daemon.store.tables.memory_rows import Row
from palimp_protocol.errors import RequestError
from palimp_protocol.limits import ID_CHARACTERS_SHOWN
from palimp_protocol.messages.memory_messages import Memory, Recall, Recalled


def recall(context: RequestContext, request: Recall) -> Recalled:
    """Answer *request*, which must be `check_request`."""
    names = [request.id] if request.id else request.ids
    if request.kind == "removed-code":
        return recall_removed(context, request)
    if names is None:
        return answer(context, request, find_memories(context, request), request.detail or "compact")
    hunks = [name for name in names if is_hunk(name)]
    if len(hunks) == len(names):
        return recall_removed(context, request)
    if request.action != "view":
        return _change(context, request, *rows_of_names(context, names))
    viewed = _view(context, request, *rows_of_names(context, [name for name in names if name not in hunks]))
    removed = recall_removed(context, replace(request, ids=hunks)) if hunks else Recalled()
    return together(viewed, removed, names)


def check_request(request: Recall) -> Recall:
    """Return *request*.

    Raises:
        PalimpError: its parameters contradict each other.
    """
    described = [name for name in ("query", "title", "kind", "tags", "client", "author") if getattr(request, name)]
    if request.id and request.ids:
        raise RequestError("id and ids were both given.", "Put every id into ids.")
    if (request.id or request.ids) and described:
        raise RequestError(
            f"ids cannot be combined with a search ({', '.join(described)}).",
            "Search first, then view, purge or restore by ids.",
        )
    if request.ids is not None and not request.ids and not described:
        raise RequestError("ids: the list is empty.", "Name at least one id, or omit ids.")
    if request.action != "view" and not (request.id or request.ids):
        raise RequestError(
            f"{request.action} needs explicit ids.",
            "Search first, select the ids, then call again with ids and this action.",
        )
    if request.offset and (request.query or request.id or request.ids):
        raise RequestError("offset is for lists, not for a search.", "Narrow the search instead.")
    times = request.since or request.until or request.as_of
    if (request.offset or times) and request.kind in ("doc", "removed-code"):
        text = f"offset, since, until and as_of are for memories, not for kind {request.kind}."
        raise RequestError(text, "Leave them out.")
    if (request.client or request.author) and request.kind in ("doc", "removed-code", "claude-memory"):
        text = f"client and author are for memories and conversations, not for kind {request.kind}."
        raise RequestError(text, "Leave them out.")
    return request if request.ids else replace(request, ids=None)


def is_open_search(request: Recall) -> bool:
    """Tell whether *request* is a search for rows of any kind."""
    is_narrow = request.kind or request.tags or request.title or request.author or request.scope in ("global", "team")
    return bool(request.query) and not is_narrow and request.detail in (None, "compact")


def together(first: Recalled, second: Recalled, names: Sequence[str]) -> Recalled:
    """Merge two answers to ids, in the order of *names*."""

    def place(memory: Memory) -> int:
        begins = (memory.id.startswith(name.strip().lower()[:ID_CHARACTERS_SHOWN]) for name in names)
        return next((at for at, is_it in enumerate(begins) if is_it), len(names))

    both = sorted([*first.memories, *second.memories], key=place)
    total, unknown = first.total + second.total, [*first.unknown, *second.unknown]
    return replace(first, memories=both, total=total, unknown=unknown)


# --- by name -------------------------------------------------------------------------------------


def _view(context: RequestContext, request: Recall, rows: list[Row], unknown: list[str]) -> Recalled:
    shown = [row for row in rows if request.include_purged or row.deleted_at is None]
    unknown += [
        f"{memory_rows.shown_id(row)}: purged; include_purged=true or `palimp show --purged` shows it,"
        " action=restore or `palimp restore` brings it back"
        for row in rows
        if row not in shown
    ]
    shown_rows = answer(context, request, RecallRows(shown, len(shown)), request.detail or "full")
    if shown_rows.detail == "full":
        with_history = [
            replace(memory, history=history_told(context.store, row.seq))
            for memory, row in zip(shown_rows.memories, shown, strict=True)
        ]
        shown_rows = replace(shown_rows, memories=with_history)
    return replace(shown_rows, unknown=unknown)


def _change(context: RequestContext, request: Recall, rows: list[Row], unknown: list[str]) -> Recalled:
    purged_at = context.now_ms if request.action == "purge" else None
    to_change = [row for row in rows if (row.deleted_at is None) == (request.action == "purge")]
    with recording(context, "delete" if request.action == "purge" else "restore"):
        for row in to_change:
            memory_rows.set_purged(context.store, row.seq, purged_at)
    unchanged = [memory_rows.shown_id(row) for row in rows if row not in to_change]
    changed = [row._replace(deleted_at=purged_at) for row in to_change]
    shown_rows = answer(context, request, RecallRows(changed, len(changed)), "compact")
    return replace(shown_rows, unknown=unknown, unchanged=unchanged)
