"""`erase`: delete rows; the file keeps their text until `hard_delete` rewrites it."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from palimp_daemon.features.memories.memory_names import rows_of_names
from palimp_daemon.features.memories.recording import Doing, record
from palimp_daemon.features.removed_code.removed_code_handlers import hunk_number, is_hunk
from palimp_daemon.store.ids import shown_of
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import GLOBAL_PROJECT, Store, project_row
from palimp_daemon.store.tables import memory_rows, steps
from palimp_daemon.store.tables.erasures import note_erasure
from palimp_daemon.store.tables.removed_code.change_rows import (
    SENTENCE_CHARACTERS,
    erase_hunk,
    erase_reasons,
    erase_reasons_of_commit,
    erase_reasons_quoting,
    hunks_with_lines_of,
)
from palimp_daemon.store.tables.removed_code.hunks import hunk_named
from palimp_daemon.store.tables.sessions.transcript_rows import empty_digests, erase_from_digests
from palimp_protocol.messages.erasure import Erase, Erased

ALIKE_NAMED_MAX: Final = 10
"""Other removed code named for lines in common: one line of an answer."""


class ErasedSource(NamedTuple):
    """An erased text of *session*, a key, or of *commit*, a hash."""

    text: str
    session: str = ""
    commit: str = ""


def erase(context: RequestContext, request: Erase) -> Erased:
    """Delete the named memories and code, including purged and global ones."""
    of_code = [name for name in request.ids if is_hunk(name)]
    removed = _erase_memories(context, [name for name in request.ids if not is_hunk(name)])
    code = _erase_hunks(context, of_code)
    erased = Erased(
        memories=[*removed.memories, *code.memories], unknown=[*removed.unknown, *code.unknown], notes=code.notes
    )
    if erased.memories:
        note_erasure(context.store, context.now_ms)
    if removed.memories:
        doing = Doing("erase", context.caller, context.now_ms)
        record(context.store, [(doing, [steps.erasing_step(len(removed.memories))])])
    return erased


def erase_quotes(context: RequestContext, wanted: Sequence[Erase | ErasedSource]) -> bool:
    """Erase quotes of the turns *wanted*; tell whether there were any."""
    project = project_row(context.store, context.caller)
    quotes = 0
    for each in wanted:
        if project is not None or each.session:
            quotes += _erase_quotes_of(context.store, project or GLOBAL_PROJECT, each)
    if quotes:
        note_erasure(context.store, context.now_ms)
    return bool(quotes)


def _erase_quotes_of(store: Store, project: int, wanted: Erase | ErasedSource) -> int:
    if isinstance(wanted, Erase):
        quotes = erase_reasons(store, project, wanted.session, wanted.containing)
        if wanted.containing:
            return quotes + erase_from_digests(store, project, wanted.containing)
        return quotes + empty_digests(store, project, wanted.session)
    if wanted.commit:
        return erase_reasons_of_commit(store, project, wanted.commit)
    quotes = erase_reasons_quoting(store, project, wanted.session, wanted.text)
    return quotes + erase_from_digests(store, project, wanted.text)


def _erase_memories(context: RequestContext, names: Sequence[str]) -> Erased:
    rows, unknown = rows_of_names(context, names)
    erased: list[tuple[str, str]] = []
    for row in rows:
        shown = memory_rows.shown_id(row)
        # Replies may show fewer characters of the id than are shown of it now.
        memory_rows.erase(context.store, row.seq, shown_of(row.id))
        for text in (row.content, row.quote):
            if text:
                erase_from_digests(context.store, row.project_id, text)
            if len(text) >= SENTENCE_CHARACTERS:
                erase_reasons(context.store, row.project_id, "", text)
                erase_reasons_quoting(context.store, row.project_id, "", text)
        erased.append((shown, row.title))
    return Erased(memories=erased, unknown=unknown)


def _erase_hunks(context: RequestContext, names: Sequence[str]) -> Erased:
    project = project_row(context.store, context.caller)
    erased: list[tuple[str, str]] = []
    unknown: list[str] = []
    notes: list[str] = []
    for name in dict.fromkeys(names):
        number = hunk_number(name)
        hunk = hunk_named(context.store, project, number) if project is not None and number is not None else None
        if hunk is None or project is None:
            unknown.append(f"{name}: no such removed code in this project")
            continue
        if alike := hunks_with_lines_of(context.store, project, hunk, ALIKE_NAMED_MAX):
            others = ", ".join(f"h{each}" for each in alike)
            notes.append(f"Some lines of h{hunk.id} are in other removed code, too: {others}.")
        erase_hunk(context.store, project, hunk)
        erased.append((f"h{hunk.id}", f"{hunk.path}:{hunk.line}"))
    return Erased(memories=erased, unknown=unknown, notes=notes)
