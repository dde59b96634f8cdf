"""claude-mem's SQLite database: observations and summaries of sessions.

It is opened for reading only; while claude-mem's worker runs, too.
"""

import json
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import apsw

from palimp_daemon.transfer.incoming import Batch, Incoming, in_pieces

SOURCE: Final = "claude-mem"

KINDS: Final = {
    "decision": "decision",
    "bugfix": "fix",
    "discovery": "finding",
    "feature": "note",
    "refactor": "note",
    "change": "note",
}
"""Its types of observations, and what they are here."""

_OBSERVATIONS: Final = (
    "SELECT id, 'observation', project, memory_session_id, created_at_epoch, type, title, subtitle, narrative, facts,"
    " text, concepts, files_modified FROM observations"
)
_SUMMARIES: Final = (
    "SELECT id, 'summary', project, memory_session_id, created_at_epoch, 'summary', request, investigated, learned,"
    " completed, next_steps, notes, NULL FROM session_summaries"
)


def batch_of(path: Path, place: int, limit: int) -> Batch:
    """Return *limit* rows from the one numbered *place* on: observations, then summaries.

    Raises:
        ValueError: it is no database of claude-mem, or cannot be read.
    """
    try:
        connection = apsw.Connection(
            f"file:{quote(str(path))}?mode=ro", flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        )
        try:
            connection.set_busy_timeout(1_000)
            counts = [_count(connection, table) for table in ("observations", "session_summaries")]
            total = sum(counts)
            found = connection.execute(
                f"SELECT * FROM (SELECT * FROM ({_OBSERVATIONS} ORDER BY id) UNION ALL SELECT * FROM ({_SUMMARIES}"
                " ORDER BY id)) LIMIT ? OFFSET ?",
                (limit, place),
            ).fetchall()
        finally:
            connection.close()
    except apsw.Error as error:
        raise ValueError(f"it is no database of claude-mem that can be read: {error}") from None
    records: list[Incoming] = []
    skipped: list[str] = []
    for row in found:
        made = list(_records(row))
        records += made
        if not made:
            skipped.append(f"{row[1]} {row[0]}: it has no text.")
    end = place + len(found)
    return Batch(records, skipped, end if found and end < total else None, end, total)


def _count(connection: apsw.Connection, table: str) -> int:
    return int(connection.execute(f"SELECT count(*) FROM {table}").fetchall()[0][0])  # pyright: ignore[reportArgumentType]


def _records(row: Any) -> list[Incoming]:
    number, table, project, session, epoch, kind, *texts = row
    title, body, tags = _summary(texts) if table == "summary" else _observation(texts)
    pieces = list(in_pieces(body))
    return [
        Incoming(
            origin=f"{SOURCE}:{table}:{session}:{number}:{part}",
            title=title if len(pieces) == 1 else f"{title} ({part + 1} of {len(pieces)})",
            content=piece,
            kind="summary" if table == "summary" else KINDS.get(str(kind), "note"),
            tags=tags,
            # Seconds in old versions, milliseconds in new ones.
            created_at=int(epoch) if epoch and int(epoch) > 10**11 else int(epoch or 0) * 1000 or None,
            source=SOURCE,
            session=str(session or ""),
            project_name=str(project or ""),
        )
        for part, piece in enumerate(pieces)
    ]


def _observation(texts: list[Any]) -> tuple[str, str, tuple[str, ...]]:
    title, subtitle, narrative, facts, text, concepts, files = texts
    parts = [str(each) for each in (subtitle, narrative, text) if each]
    parts += [f"- {fact}" for fact in _listed(facts)]
    if changed := _listed(files):
        parts.append(f"Files: {', '.join(changed)}")
    body = "\n".join(parts) or str(title or "")
    return str(title or ""), body, tuple(_listed(concepts))


def _summary(texts: list[Any]) -> tuple[str, str, tuple[str, ...]]:
    names = ("Asked", "Looked into", "Learned", "Done", "Next", "Notes")
    body = "\n".join(f"{name}: {text}" for name, text in zip(names, texts[:6], strict=True) if text)
    return f"Session: {str(texts[0] or 'without a request')[:120]}", body, ()


def _listed(text: Any) -> list[str]:
    """Return a list that is stored as JSON, or as text."""
    if not text:
        return []
    try:
        found: Any = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        found = str(text)
    return [str(each) for each in found] if isinstance(found, list) else [str(found)]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
