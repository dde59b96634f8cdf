"""The operations `export`, `import_file` and `backup`: memories out of the store, into it, and copies of it.

Everything goes in pages, so that other sessions come in between and the command can say its progress. Files are read
in a worker thread.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

import apsw

from palimp_daemon.features.handler import StoreJobs
from palimp_daemon.features.memories.recording import Doing, author_of, record_more
from palimp_daemon.features.transfer import jsonl
from palimp_daemon.features.transfer.formats import SOURCES, format_of
from palimp_daemon.features.transfer.handlers import Kept, keep_incoming, keep_portable
from palimp_daemon.features.transfer.reading import forget
from palimp_daemon.features.transfer.record import Batch, Incoming, LeftOut, shown_path
from palimp_daemon.runtime.sql import rolled_back
from palimp_daemon.runtime.threads import in_thread
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import Store, project_row
from palimp_daemon.store.tables.acts import act_numbered
from palimp_daemon.store.tables.portable import count_memories, portable_after
from palimp_daemon.store.tables.steps import noting
from palimp_daemon.store.worker.copying import copied
from palimp_daemon.store.worker.group_commit import Job
from palimp_daemon.text.redact import Redactor
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.limits import EXPORT_PAGE, IMPORT_PAGE, SKIPPED_SHOWN_MAX
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.daemon import KindCount
from palimp_protocol.messages.transfer import BackedUp, Backup, Export, ExportPage, ImportFile, ImportPage, LeftOutCount

ADDRESS: Final = "file://"
"""How the address of a file of this machine begins."""

LEFT_REASONS_MAX: Final = 200
"""Reasons that are counted on one page; a record has one."""


class Transfers:
    """Answers `export`, `import_file` and `backup`."""

    def __init__(self, jobs: StoreJobs, redact: Redactor) -> None:
        self._actor = jobs.actor
        self._now_ms = jobs.now_ms
        self._random = jobs.random
        self._redact = redact

    async def export(self, request: Export, caller: Caller) -> ExportPage:
        """Return the next page."""

        def work(store: Store) -> ExportPage:
            project = None if request.everything else project_row(store, caller)
            if project is None and not request.everything:
                return ExportPage(memories=[], next=None, total=0)
            memories, following = portable_after(store, project, request.after, EXPORT_PAGE)
            return ExportPage(memories=memories, next=following, total=count_memories(store, project))

        return await self._actor.read(work)

    async def import_file(self, request: ImportFile, caller: Caller) -> ImportPage:
        """Import the next page of a file.

        Raises:
            PalimpError: it cannot be read, or is nothing that is known.
        """
        path = path_of(request.path)
        shown = shown_path(path)
        try:
            form = request.format if request.format != "auto" else await in_thread(partial(format_of, path))
            if form == "palimp":
                batch = await in_thread(partial(jsonl.batch_of, path, request.place, IMPORT_PAGE))
                elsewhere: list[LeftOut] = []
                keep = partial(keep_portable, memories=batch.memories, redact=self._redact, here=request.here)
            else:
                batch = await in_thread(partial(SOURCES[form].batch_of, path, request.place, IMPORT_PAGE))
                records, elsewhere = _of_project(batch, caller, here=request.here)
                keep = partial(keep_incoming, records=records, redact=self._redact)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise PalimpError(ErrorCode.BAD_REQUEST, f"{shown}: {reason}.", "Nothing of it was imported.") from None
        if batch.next is None:
            forget()
        kept, act = await self._keep(keep, caller, request)
        left = [*batch.left, *elsewhere, *kept.left]
        return ImportPage(
            format=form,
            imported=kept.imported,
            known=kept.known,
            skipped=_shortened([str(each) for each in left]),
            next=batch.next,
            done=batch.done,
            total=batch.total,
            updated=kept.updated,
            kinds=[KindCount(kind, count) for kind, count in kept.kinds.items()],
            left=_counted(left),
            act=act,
        )

    async def _keep(
        self, keep: Callable[[RequestContext], Kept], caller: Caller, request: ImportFile
    ) -> tuple[Kept, int]:
        """Store some records, as a part of an act, whose number is returned with what was kept.

        A dry run stores them, too, and takes it back in the same transaction; its act has the number 0.
        """
        now_ms = self._now_ms()

        def work(store: Store) -> tuple[Kept, int]:
            context = RequestContext(store, caller, now_ms, self._random)
            if not request.dry_run:
                return _recorded(context, keep, request.act)
            with rolled_back(store.connection):
                kept = keep(context)
            store.forget()
            return kept, 0

        return await self._actor.ask(Job(work, is_write=True, now_ms=now_ms))

    async def backup(self, request: Backup) -> BackedUp:
        """Copy the database to a new file, some pages at a time, and open the copy to check it.

        Raises:
            PalimpError: there is something at the path already, or it cannot be written, or the copy is wrong.
        """
        path = Path(request.path)
        try:
            target = await in_thread(partial(_new_database, path))
        except FileExistsError:
            raise PalimpError(ErrorCode.BAD_REQUEST, f"{path} exists.", "Name a file that does not.") from None
        except (OSError, apsw.Error) as error:
            raise PalimpError(ErrorCode.BAD_REQUEST, f"{path} cannot be written: {error}.") from None
        try:
            await copied(self._actor, target, lambda _: None)
            return await in_thread(partial(_verified, path))
        except (apsw.Error, PalimpError) as error:
            await in_thread(partial(path.unlink, missing_ok=True))
            raise PalimpError(ErrorCode.STORE_UNAVAILABLE, f"No backup was made: {error}.") from None
        finally:
            await in_thread(target.close)


def _recorded(context: RequestContext, keep: Callable[[RequestContext], Kept], act: int) -> tuple[Kept, int]:
    """Store some records as a part of *act*, if that is the caller's import; else, with 0, as a new act."""
    with noting(context.store) as steps:
        kept = keep(context)
    doing = Doing("import", context.caller, context.now_ms)
    begun = act_numbered(context.store, act) if act else None
    own = (project_row(context.store, context.caller), "import", author_of(context.caller))
    is_own = begun is not None and (begun.project, begun.kind, begun.author) == own
    return kept, record_more(context.store, act if is_own else None, doing, steps) or 0


def path_of(text: str) -> Path:
    """Return the path that an import names: itself, or its address, which may stand for bytes that are no UTF-8."""
    return (
        Path(unquote(text.removeprefix(ADDRESS), errors="surrogateescape")) if text.startswith(ADDRESS) else Path(text)
    )


def _of_project(batch: Batch, caller: Caller, *, here: bool) -> tuple[list[Incoming], list[LeftOut]]:
    """Return the records of *caller*'s project, and how many of which others are left out."""
    name = caller.project.name if caller.project else ""
    others: Counter[str] = Counter()
    records: list[Incoming] = []
    for record in batch.records:
        if here or not record.project_name or record.project_name == name:
            records.append(record)
        else:
            others[record.project_name] += 1
    hint = "run it in that project, or with --here"
    return records, [LeftOut("", f"of the project {other!r}: {hint}", count) for other, count in others.items()]


def _counted(left: Sequence[LeftOut]) -> list[LeftOutCount]:
    counts: Counter[str] = Counter()
    for each in left:
        counts[each.reason] += each.number
    return [LeftOutCount(reason, count) for reason, count in counts.most_common(LEFT_REASONS_MAX)]


def _shortened(reasons: list[str]) -> list[str]:
    more = len(reasons) - SKIPPED_SHOWN_MAX
    return reasons if more <= 0 else [*reasons[:SKIPPED_SHOWN_MAX], f"{more:,} more were skipped."]


def _new_database(path: Path) -> apsw.Connection:
    path.touch(mode=0o600, exist_ok=False)
    return apsw.Connection(str(path))


def _verified(path: Path) -> BackedUp:
    """Return what the copy at *path* holds.

    Raises:
        apsw.Error: it cannot be opened.
        PalimpError: it is damaged.
    """
    copy = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        # The copy says that it has a write-ahead log, as the original does; a backup is one file.
        copy.execute("PRAGMA journal_mode = DELETE").fetchall()
        verdict: Any = copy.execute("PRAGMA quick_check").fetchall()[0][0]
        if verdict != "ok":
            raise PalimpError(ErrorCode.STORE_UNAVAILABLE, f"the copy is damaged: {verdict}")
        memories: Any = copy.execute("SELECT count(*) FROM memories").fetchall()[0][0]
    finally:
        copy.close()
    return BackedUp(path=str(path), bytes=path.stat().st_size, memories=memories)
