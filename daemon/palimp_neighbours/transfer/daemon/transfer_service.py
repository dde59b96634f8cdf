"""Answer `export`, `import_file` and `backup`.

All work in pages, so that other sessions come in between and progress can be shown.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.parse import unquote

import apsw

from palimp_daemon.features.handler import StoreJobs
from palimp_daemon.features.memories.recording import Doing, author_of, record_more
from palimp_daemon.runtime.sql import rolled_back
from palimp_daemon.runtime.threads import Lane, in_thread
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import Store, project_row
from palimp_daemon.store.tables.act_rows import act_numbered
from palimp_daemon.store.tables.steps import noting
from palimp_daemon.store.worker.copying import copy_database
from palimp_daemon.store.worker.group_commit import Job
from palimp_daemon.text.redact import Redactor
from palimp_neighbours.transfer.daemon import jsonl
from palimp_neighbours.transfer.daemon.file_reading import forget
from palimp_neighbours.transfer.daemon.formats import batch_of, format_of
from palimp_neighbours.transfer.daemon.import_handlers import (
    Kept,
    all_kept,
    keep_incoming,
    keep_portable,
    portable,
    prepare_all,
)
from palimp_neighbours.transfer.daemon.portable import count_memories, portable_after
from palimp_neighbours.transfer.daemon.record import Batch, Incoming, LeftOut, shown_path
from palimp_neighbours.transfer.transfer_messages import (
    BackedUp,
    Backup,
    Export,
    ExportPage,
    ImportFile,
    ImportPage,
    LeftOutCount,
    PortableMemory,
)
from palimp_protocol.errors import ErrorCode, PalimpError, RequestError
from palimp_protocol.limits import EXPORT_PAGE, IMPORT_PAGE, SKIPPED_SHOWN_MAX
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.daemon_messages import KindCount
from palimp_protocol.text import verb

R = TypeVar("R", Incoming, PortableMemory)
P = TypeVar("P")

ADDRESS: Final = "file://"
"""Prefix of a local file's address."""

LEFT_REASONS_MAX: Final = 200
"""Reasons counted per page; a record has one."""


PREPARED_CHARACTERS: Final = 50_000
"""Characters of records searched for secrets at once: a tenth of a second at worst. A longer note is searched whole, as
secrets may cross its pieces.
"""

STORED_AT_ONCE: Final = 32
"""Memories per transaction, between which others get the store."""


class Transfers:
    """Answers `export`, `import_file` and `backup`."""

    def __init__(self, jobs: StoreJobs, redact: Redactor) -> None:
        self._actor = jobs.actor
        self._now_ms = jobs.now_ms
        self._random = jobs.random
        self._redact = redact
        self._reading = Lane()

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
            PalimpError: it cannot be read, or is of no known format.
        """
        path, asker = path_of(request.path), caller.session_key
        read = partial(_page, path, request.format, request.place)
        try:
            form, batch = await self._reading.run(read, asker)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            refused = f"{shown_path(path)}: {reason}."
            raise RequestError(refused, "Nothing of it was imported.") from None
        if batch.next is None:
            forget()
        elsewhere: list[LeftOut] = []
        if isinstance(batch, jsonl.OwnBatch):
            prepare, keep = partial(portable, redact=self._redact), partial(keep_portable, here=request.here)
            kept, act = await self._import(batch.memories, prepare, keep, caller, request)
        else:
            records, elsewhere = _of_project(batch, caller, here=request.here)
            prepare = partial(prepare_all, redact=self._redact)
            kept, act = await self._import(records, prepare, keep_incoming, caller, request)
        left = [*batch.left, *elsewhere, *kept.left]
        return ImportPage(
            format=form,
            imported=kept.imported,
            known=kept.known,
            skipped=_shorten_reasons([str(each) for each in left if each.place]),
            next=batch.next,
            done=batch.done,
            total=batch.total,
            updated=kept.updated,
            kinds=[KindCount(kind, count) for kind, count in kept.kinds.items()],
            left=_count_reasons(left),
            act=act,
        )

    async def _import(
        self,
        records: Sequence[R],
        prepare: Callable[[list[R]], list[P]],
        keep: Callable[[RequestContext, list[P]], Kept],
        caller: Caller,
        request: ImportFile,
    ) -> tuple[Kept, int]:
        became: list[Kept] = []
        act = request.act
        for part in in_parts(records):
            made = await self._reading.run(partial(prepare, part), caller.session_key)
            for first in range(0, len(made), STORED_AT_ONCE):
                some = made[first : first + STORED_AT_ONCE]
                kept, number = await self._keep(partial(_kept_of, keep, some), caller, act, dry_run=request.dry_run)
                act = number or act
                became.append(kept)
        return all_kept(became), act

    async def _keep(
        self, keep: Callable[[RequestContext], Kept], caller: Caller, act: int, *, dry_run: bool
    ) -> tuple[Kept, int]:
        """Store records as a part of an act; a dry run is rolled back, with act 0."""
        now_ms = self._now_ms()

        def work(store: Store) -> tuple[Kept, int]:
            context = RequestContext(store, caller, now_ms, self._random)
            if not dry_run:
                return _record(context, keep, act)
            with rolled_back(store.connection):
                kept = keep(context)
            store.forget()
            return kept, 0

        return await self._actor.ask(Job(work, is_write=True, now_ms=now_ms))

    async def backup(self, request: Backup) -> BackedUp:
        """Copy the database to a new file, some pages at a time, and check it.

        Raises:
            PalimpError: the path exists, cannot be written, or the copy is damaged.
        """
        path = Path(request.path)
        try:
            target = await in_thread(partial(_new_database, path))
        except FileExistsError:
            raise RequestError(f"{path} exists.", "Name a file that does not.") from None
        except (OSError, apsw.Error) as error:
            why = (isinstance(error, OSError) and error.strerror) or error
            raise RequestError(f"{path} cannot be written: {why}.") from None
        try:
            await copy_database(self._actor, target, lambda _: None)
            return await in_thread(partial(_verify, path))
        except (apsw.Error, PalimpError) as error:
            await in_thread(partial(path.unlink, missing_ok=True))
            raise PalimpError(ErrorCode.STORE_UNAVAILABLE, f"No backup was made: {error}.") from None
        finally:
            await in_thread(target.close)


def _kept_of(keep: Callable[[RequestContext, list[P]], Kept], records: list[P], context: RequestContext) -> Kept:
    return keep(context, records)


def _record(context: RequestContext, keep: Callable[[RequestContext], Kept], act: int) -> tuple[Kept, int]:
    with noting(context.store) as steps:
        kept = keep(context)
    doing = Doing("import", context.caller, context.now_ms)
    begun = act_numbered(context.store, act) if act else None
    own = (project_row(context.store, context.caller), "import", author_of(context.caller))
    is_own = begun is not None and (begun.project, begun.kind, begun.author) == own
    return kept, record_more(context.store, act if is_own else None, doing, steps) or 0


def _page(path: Path, asked: str, place: int) -> tuple[str, Batch | jsonl.OwnBatch]:
    form = format_of(path) if asked == "auto" else asked
    return form, batch_of(path, form, place, IMPORT_PAGE)


def in_parts(records: Sequence[R]) -> Iterator[list[R]]:
    """Split *records* into parts of PREPARED_CHARACTERS or one whole note."""
    part: list[R] = []
    size = 0
    for record in records:
        is_piece = isinstance(record, Incoming) and record.part > 0
        size += 0 if is_piece else _characters(record)
        if part and not is_piece and size > PREPARED_CHARACTERS:
            yield part
            part, size = [], _characters(record)
        part.append(record)
    if part:
        yield part


def _characters(record: Incoming | PortableMemory) -> int:
    if isinstance(record, Incoming):
        return len(record.note.text if record.note else record.content)
    return len(record.content) + len(record.quote) + sum(len(link.said) for link in record.links)


def path_of(text: str) -> Path:
    """Parse an import's path, or its address if no UTF-8."""
    return (
        Path(unquote(text.removeprefix(ADDRESS), errors="surrogateescape")) if text.startswith(ADDRESS) else Path(text)
    )


def _of_project(batch: Batch, caller: Caller, *, here: bool) -> tuple[list[Incoming], list[LeftOut]]:
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


def _count_reasons(left: Sequence[LeftOut]) -> list[LeftOutCount]:
    counts: Counter[str] = Counter()
    for each in left:
        counts[each.reason] += each.number
    return [LeftOutCount(reason, count) for reason, count in counts.most_common(LEFT_REASONS_MAX)]


def _shorten_reasons(reasons: list[str]) -> list[str]:
    more = len(reasons) - SKIPPED_SHOWN_MAX
    return (
        reasons if more <= 0 else [*reasons[:SKIPPED_SHOWN_MAX], f"{more:,} more {verb(more, 'was', 'were')} skipped."]
    )


def _new_database(path: Path) -> apsw.Connection:
    path.touch(mode=0o600, exist_ok=False)
    return apsw.Connection(str(path))


def _verify(path: Path) -> BackedUp:
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
