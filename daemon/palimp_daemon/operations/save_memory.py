"""`save_memory`: store one memory and name those that say nearly the same."""

from palimp_daemon.operations.desk import Desk
from palimp_daemon.operations.titles import title_from_text
from palimp_daemon.search.sketch import sketch, words_of
from palimp_daemon.store.memories import NewMemory, insert, shown_id
from palimp_daemon.store.sketches import insert_sketch, similar_memories
from palimp_daemon.store.store import ensure_project, ensure_session
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.operations import Saved, SaveMemory, Similar


def save_memory(desk: Desk, request: SaveMemory) -> Saved:
    """Store the memory in the caller's project.

    Raises:
        PalimpError: the text is blank.
    """
    content = request.text.strip()
    if not content:
        raise PalimpError(ErrorCode.BAD_REQUEST, "text: it is blank.", "Say what is to be remembered.")
    title = " ".join((request.title or "").split()) or title_from_text(content)
    words = words_of(content)
    hashes = sketch(words)
    project = ensure_project(desk.store, desk.caller, desk.now_ms)
    similar = similar_memories(desk.store, project, words, hashes)
    seq, shown = insert(
        desk.store,
        NewMemory(
            project_id=project,
            session_id=ensure_session(desk.store, desk.caller, project, desk.now_ms),
            title=title,
            content=content,
            tags=normalized_tags(request.tags),
            kind=request.kind,
            source=request.source,
            created_at=desk.now_ms,
        ),
        desk.random,
    )
    insert_sketch(desk.store, seq, hashes)
    return Saved(
        id=shown,
        title=title,
        similar=[Similar(shown_id(row), row.title) for row in similar],
    )


def normalized_tags(tags: list[str]) -> list[str]:
    """Return *tags* in lower case, inner white space as hyphens, each once, in order."""
    return list(dict.fromkeys("-".join(tag.lower().split()) for tag in tags if tag.strip()))
