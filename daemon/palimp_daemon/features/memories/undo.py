"""`undo`: the last of what replaced memories is taken back: a compaction, a link, a version, or what a save said.

Each link is taken back by itself, a compaction as one. A version that is taken back is purged, so that it can be
restored; what it replaced holds again. So a version that was replaced since is not taken back: both what it replaced
and what replaced it would hold.
"""

import re
from collections.abc import Sequence
from typing import Final

from palimp_daemon.features.memories.names import named
from palimp_daemon.features.memories.supersede import link_name
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import project_row, scope_rows
from palimp_daemon.store.tables import memory_links
from palimp_daemon.store.tables.memories import Row, rows_by_seq, set_purged, shown_id
from palimp_daemon.store.tables.memory_links import MemoryLink, decides, link_numbered, links_among, newest_links
from palimp_daemon.store.tables.memory_merge import Compaction, compactions_of, merged_by, unmerge
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.limits import UNDOABLE_SHOWN_MAX
from palimp_protocol.messages.links import Change, Deed, DeedKind, Undo, Undone
from palimp_protocol.messages.memories import Relation, Similar

CHANGES_SHOWN_MAX: Final = 3
"""Changes of a compaction that are told in a list."""

_NAME: Final = re.compile(r"(link|compact)(\d{1,18})")

_Undoable = MemoryLink | Compaction


def undo(context: RequestContext, request: Undo) -> Undone:
    """Take back, or list, what *request* asks for.

    Raises:
        PalimpError: there is no such thing, or it is a version that was replaced since.
    """
    found = _undoable(context, request.id.strip().lower())
    if request.list:
        shown = found[:UNDOABLE_SHOWN_MAX]
        return Undone(deeds=[_deed(context, each) for each in shown], total=len(found))
    if not found:
        what = f" that is about {request.id}" if request.id else ""
        raise PalimpError(ErrorCode.BAD_REQUEST, f"There is nothing here{what} that could be undone.")
    deed = _deed(context, found[0])
    return (
        _compaction_undone(context, found[0], deed)
        if isinstance(found[0], Compaction)
        else _link_undone(context, found[0], deed)
    )


def _undoable(context: RequestContext, name: str) -> list[_Undoable]:
    """Return what *name* stands for, or all that can be taken back in the caller's project: the newest first.

    Raises:
        PalimpError: *name* stands for nothing here.
    """
    store, project = context.store, project_row(context.store, context.caller)
    if match := _NAME.fullmatch(name):
        return [_numbered(context, match[1], int(match[2]), name)]
    compactions = compactions_of(store, project) if project is not None else []
    if name:
        rows, unknown = named(context, [name])
        if unknown:
            raise PalimpError(ErrorCode.BAD_REQUEST, f"{unknown[0]}.", "`palimp undo --list` says what there is.")
        links = [each for each in links_among(store, [rows[0].seq]) if each.said_by != "inferred"]
        return sorted(links, key=_moment, reverse=True)
    links = newest_links(store, project, UNDOABLE_SHOWN_MAX) if project is not None else []
    return sorted([*links, *compactions], key=_moment, reverse=True)


def _numbered(context: RequestContext, what: str, number: int, name: str) -> _Undoable:
    store = context.store
    if what == "compact":
        project = project_row(store, context.caller)
        found = compactions_of(store, project) if project is not None else []
        made = next((each for each in found if each.id == number), None)
    else:
        made = link_numbered(store, number)
        newer = rows_by_seq(store, [made.newer]) if made else []
        if not newer or newer[0].project_id not in scope_rows(store, context.caller, "all"):
            made = None
    if made is None:
        raise PalimpError(
            ErrorCode.BAD_REQUEST,
            f"{name}: there is none here, or it was undone before.",
            "`palimp undo --list` says what there is.",
        )
    return made


def _moment(each: _Undoable) -> tuple[int, bool, int]:
    return (each.at, isinstance(each, MemoryLink), each.id)


def _compaction_undone(context: RequestContext, compaction: Compaction, deed: Deed) -> Undone:
    count, left = unmerge(context.store, compaction.id, context.now_ms)
    return Undone(memories=count, made_at=compaction.at, left=left, undone=deed)


def _link_undone(context: RequestContext, link: MemoryLink, deed: Deed) -> Undone:
    [before] = rows_by_seq(context.store, [link.older])
    if link.is_edit:
        _refuse_replaced(context, link)
    memory_links.undo_link(context.store, link.id, context.now_ms)
    if link.is_edit:
        set_purged(context.store, link.newer, context.now_ms)
    [after] = rows_by_seq(context.store, [link.older])
    is_back = before.superseded_by is not None and after.superseded_by is None
    is_left = link.relation == "replaces" and (after.deleted_at is not None or after.superseded_by is not None)
    return Undone(
        memories=int(is_back and after.deleted_at is None),
        made_at=link.at,
        left=[shown_id(after)] if is_left else [],
        undone=deed,
    )


def _refuse_replaced(context: RequestContext, link: MemoryLink) -> None:
    """Refuse to take back the version that *link* made where another one replaced it since.

    Raises:
        PalimpError: another one did.
    """
    [version] = rows_by_seq(context.store, [link.newer])
    later = [each for each in links_among(context.store, [version.seq]) if decides(each) and each.older == version.seq]
    if version.superseded_by is not None and later:
        raise PalimpError(
            ErrorCode.BAD_REQUEST,
            f"{shown_id(version)} was replaced by another memory since.",
            f"Undo that first: `palimp undo {link_name(later[-1].id)}`.",
        )


def _deed(context: RequestContext, made: _Undoable) -> Deed:
    if isinstance(made, Compaction):
        pairs = merged_by(context.store, made.id, CHANGES_SHOWN_MAX)
        merged: list[tuple[int, int, Relation]] = [(newer, older, "replaces") for newer, older in pairs]
        return Deed(
            name=f"compact{made.id}",
            kind="compact",
            at=made.at,
            said_by="compact",
            total=made.memories,
            changes=_changes(context, merged),
        )
    rows = {row.seq: row for row in rows_by_seq(context.store, [made.newer])}
    return Deed(
        name=link_name(made.id),
        kind=_kind(made, rows[made.newer]),
        at=made.at,
        said_by=made.said_by,
        total=1,
        changes=_changes(context, [(made.newer, made.older, made.relation)]),
    )


def _kind(link: MemoryLink, newer: Row) -> DeedKind:
    if link.is_edit:
        return "edit"
    if link.said_by == "compact":
        return "compact"
    return "save" if link.at == newer.created_at else "supersede"


def _changes(context: RequestContext, pairs: Sequence[tuple[int, int, Relation]]) -> list[Change]:
    seqs = sorted({seq for newer, older, _ in pairs for seq in (newer, older)})
    told = {row.seq: Similar(shown_id(row), row.title) for row in rows_by_seq(context.store, seqs)}
    return [
        Change(newer=told[newer], older=told[older], relation=relation)
        for newer, older, relation in pairs
        if newer in told and older in told
    ]
