"""Resolve memories' ids, also shortened, in the project and the global scope."""

import re
from collections.abc import Sequence
from typing import Final

from palimp_daemon.store.ids import normalize
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import scope_rows
from palimp_daemon.store.tables import memory_rows
from palimp_daemon.store.tables.memory_rows import Row
from palimp_protocol.errors import NotFoundError, RequestError

NO_SUCH_MEMORY: Final = "no such memory in this project or the global scope"

NOT_AN_ID: Final = "not an id; search for a title or words"

_ID: Final = re.compile(r"[0-9a-zA-Z]+")


def rows_of_names(context: RequestContext, names: Sequence[str]) -> tuple[list[Row], list[str]]:
    """Return the memories of *names*, and a reason for each unknown name."""
    where = memory_rows.in_scope(scope_rows(context.store, context.caller, "all"))
    rows: dict[int, Row] = {}
    unknown: list[str] = []
    for name in dict.fromkeys(names):
        found = memory_rows.rows_by_prefix(context.store, normalize(name), where)
        exact = [row for row in found if row.id == normalize(name)]
        if len(found) > 1 and not exact:
            candidates = ", ".join(f"{memory_rows.shown_id(row)} ({row.title})" for row in found)
            unknown.append(f"{name}: ambiguous; it begins {candidates}")
        elif not _ID.fullmatch(name.strip()):
            unknown.append(f"{name}: {NOT_AN_ID}")
        elif not found:
            unknown.append(f"{name}: {NO_SUCH_MEMORY}")
        else:
            row = (exact or found)[0]
            rows[row.seq] = row
    return list(rows.values()), unknown


def refuse_what_does_not_hold(context: RequestContext, rows: Sequence[Row], hint: str, so: str = "") -> None:
    """Raise PalimpError for the first of *rows* purged or replaced; *so* follows its successor's id."""
    for row in rows:
        if row.deleted_at is not None:
            raise RequestError(f"{memory_rows.shown_id(row)} is purged{so}.", hint)
        if row.superseded_by is not None:
            newer = memory_rows.shown_id(one_named(context, row.superseded_by))
            raise RequestError(f"{memory_rows.shown_id(row)} is replaced by {newer}{so}.", hint)


def one_named(context: RequestContext, name: str) -> Row:
    """Return the memory of *name*.

    Raises:
        PalimpError: the name is unknown or ambiguous.
    """
    found, unknown = rows_of_names(context, [name])
    if unknown:
        raise NotFoundError(f"{unknown[0]}.", "Nothing was changed. `palimp search` finds ids.")
    return found[0]
