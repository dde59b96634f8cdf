"""Answer requests for removed code."""

from collections.abc import Mapping, Sequence

import msgspec
from msgspec import UNSET

from palimp_daemon.codediff.normalize import is_significant
from palimp_daemon.codediff.packing import diff_text
from palimp_daemon.features.removed_code import warning_wording
from palimp_daemon.features.removed_code.origins import added_in_session
from palimp_daemon.render.budget import shorten
from palimp_daemon.search.match_positions import NO_STEMS, SearchStems
from palimp_daemon.search.snippet import field_snippet, snippet
from palimp_daemon.store.checks.derived_indexes import HUNKS
from palimp_daemon.store.checks.rebuild import notes_of_rebuilding
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import Store, project_row
from palimp_daemon.store.tables.memory_rows import saved_near
from palimp_daemon.store.tables.removed_code.hunk_index import unwatch, watch_again
from palimp_daemon.store.tables.removed_code.hunk_search import find_hunks
from palimp_daemon.store.tables.removed_code.hunks import Known, gone_lines, hunk_named, newest_hunks
from palimp_daemon.store.tables.removed_code.reintroduced import Reintroduction
from palimp_protocol.errors import NotFoundError, RequestError
from palimp_protocol.messages.memory_messages import Memory, Recall, Recalled
from palimp_protocol.messages.removed_code import (
    Addition,
    ChangeList,
    DismissChange,
    ListChanges,
    RemovedHunk,
    Return,
    ShowChange,
)

FIRST_CHARACTERS = 120  # of the line that a removed hunk is listed by
TITLE_CHARACTERS = 100  # with its file, in an answer of recall


def hunk_number(name: str) -> int | None:
    """Parse a hunk's id (`h12`), or return None."""
    digits = name.strip().lower().removeprefix("h")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= 18 else None


def is_hunk(name: str) -> bool:
    """Tell whether *name* is the id of removed code (`h12`)."""
    return name.strip()[:1] in ("h", "H") and hunk_number(name) is not None


def list_changes(context: RequestContext, request: ListChanges) -> ChangeList:
    """Return the newest removed code."""
    project = project_row(context.store, context.caller)
    if project is None:
        return ChangeList(hunks=[], total=0)
    hunks, total = newest_hunks(context.store, project, request.path, request.limit)
    return ChangeList(hunks=[_as_message(context, project, hunk) for hunk in hunks], total=total)


def show_change(context: RequestContext, request: ShowChange) -> RemovedHunk:
    """Return one hunk with its lines.

    Raises:
        PalimpError: the project has no such hunk.
    """
    project, hunk = _find_hunk(context, request.id)
    return _as_message(context, project, hunk, has_diff=True)


def dismiss_change(context: RequestContext, request: DismissChange) -> RemovedHunk:
    """Stop or resume watching for a hunk.

    Raises:
        PalimpError: the project has no such hunk.
    """
    project, hunk = _find_hunk(context, request.id)
    if request.watch and hunk.state in ("dismissed", "returned"):
        watch_again(context.store, project, hunk)
    elif not request.watch and hunk.state != "dismissed":
        unwatch(context.store, project, hunk.id, "dismissed")
    return _as_message(context, project, _find_hunk(context, request.id)[1])


def recall_removed(context: RequestContext, request: Recall) -> Recalled:
    """Answer `recall(kind="removed-code")`, or of hunks' ids."""
    project = project_row(context.store, context.caller)
    if request.action != "view":
        raise RequestError("Removed code is not purged or restored.", "A person can run `palimp changes dismiss`.")
    names = [request.id] if request.id else request.ids or []
    if names:
        return _view(context, project, names)
    text, detail = request.query or request.title or "", "full" if request.detail == "full" else "compact"
    if project is None:
        return Recalled(detail=detail, query=text)
    if not text.strip():
        hunks, total = newest_hunks(context.store, project, "", request.limit)
        return Recalled(
            detail=detail, memories=[_row(context, hunk, is_full=detail == "full") for hunk in hunks], total=total
        )
    found = find_hunks(context.store, project, text, request.limit)
    rows = [
        _row(context, hunk, is_full=detail == "full", score=score if request.explain else None, wanted=found.wanted)
        for hunk, score in found.best
    ]
    return Recalled(
        detail=detail,
        query=f'"{" ".join(text.split())}", kind = removed-code',
        memories=rows,
        total=found.total,
        notes=notes_of_rebuilding(context.store, HUNKS),
    )


def _view(context: RequestContext, project: int | None, names: list[str]) -> Recalled:
    rows: list[Memory] = []
    unknown: list[str] = []
    for name in dict.fromkeys(names):
        number = hunk_number(name)
        hunk = hunk_named(context.store, project, number) if number is not None and project is not None else None
        if hunk is None:
            unknown.append(f"{name}: no such removed code in this project")
        else:
            rows.append(_row(context, hunk, is_full=True))
    return Recalled(detail="full", memories=rows, total=len(rows), unknown=unknown)


def returns_of(
    store: Store, project: int, found: Sequence[Reintroduction], added: Mapping[int, list[Addition]] | None = None
) -> list[Return]:
    """Convert *found* for an answer, with origins; *added* are git's."""
    returns: list[Return] = []
    for each in found:
        known = (added or {}).get(each.hunk.id)
        origins = added_in_session(store, project, each) if known == [] else known or []
        returns.append(msgspec.structs.replace(return_of(store, project, each.hunk, each), added=origins))
    return returns


def return_of(store: Store, project: int, hunk: Known, found: Reintroduction | None = None) -> Return:
    """Convert a hunk for an answer, with returning lines if *found*."""
    evidence = found.evidence if found else None
    lines = found.same_lines if found else [line for line in gone_lines(hunk) if is_significant(line)]
    return Return(
        id=f"h{hunk.id}",
        level="warn" if found and found.level == "warn" else "note",
        path=hunk.path,
        at=hunk.at,
        reason=hunk.reason,
        commit=hunk.commit,
        session=hunk.session,
        identical=evidence.identical if evidence else 0,
        gone=hunk.gone,
        share=round(evidence.of_old, 3) if evidence else 0.0,
        lines=[warning_wording.cut_line(line) for line in lines[: warning_wording.LINES_SHOWN]],
        memory=saved_near(store, project, hunk.session, hunk.at),
    )


def _find_hunk(context: RequestContext, name: str) -> tuple[int, Known]:
    project, number = project_row(context.store, context.caller), hunk_number(name)
    hunk = hunk_named(context.store, project, number) if project is not None and number is not None else None
    if hunk is None or project is None:
        raise NotFoundError(f"{name}: no such removed code in this project.", "`palimp changes log` lists it.")
    return project, hunk


def _as_message(context: RequestContext, project: int, hunk: Known, *, has_diff: bool = False) -> RemovedHunk:
    return RemovedHunk(
        id=f"h{hunk.id}",
        path=hunk.path,
        line=hunk.line,
        gone=hunk.gone,
        state=hunk.state,
        at=hunk.at,
        reason=hunk.reason,
        commit=hunk.commit,
        session=hunk.session,
        turn=hunk.turn,
        first=_first(hunk),
        diff=diff_text(hunk.packed) if has_diff else "",
        memory=saved_near(context.store, project, hunk.session, hunk.at) if has_diff else "",
    )


def _first(hunk: Known) -> str:
    gone = gone_lines(hunk)
    first = next((line for line in gone if is_significant(line)), gone[0] if gone else "")
    return shorten(first.strip(), FIRST_CHARACTERS)


def _snippet(context: RequestContext, hunk: Known, gone: Sequence[str], wanted: SearchStems) -> str:
    if not wanted.stems and hunk.reason:
        return f"[reason] {snippet(hunk.reason, ())}"
    fields = (("code", " ".join(line.strip() for line in gone)), ("reason", hunk.reason), ("path", hunk.path))
    return field_snippet(fields, wanted, context.store.stems)


def _row(
    context: RequestContext, hunk: Known, *, is_full: bool, score: float | None = None, wanted: SearchStems = NO_STEMS
) -> Memory:
    gone = gone_lines(hunk)
    where = f"commit {hunk.commit[:12]}" if hunk.commit else "an agent's edit"
    content = f"Removed from {hunk.path}, line {hunk.line}, in {where}.\nReason: {hunk.reason or 'none was recorded'}\n"
    return Memory(
        id=f"h{hunk.id}",
        title=shorten(f"{hunk.path}: {_first(hunk)}", TITLE_CHARACTERS),
        kind="removed-code",
        created_at=hunk.at,
        project=context.caller.project.name if context.caller.project else "",
        score=score,
        snippet="" if is_full else _snippet(context, hunk, gone, wanted),
        content=content + "\n" + diff_text(hunk.packed) if is_full else UNSET,
        source="git" if hunk.commit else "session",
        session=hunk.session,
        tags=[] if hunk.state == "watched" else [hunk.state],
    )
