"""Erase for good: no page of the database, its indexes or its WAL keeps the text.

Indexes are merged, the database rewritten (VACUUM), the WAL truncated: seconds per hundred megabytes. The deleting
transaction notes that a rewrite is due, so a kill or full disk only delays it. Backups, exports and old blocks of file
systems keep it.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import trio
from msgspec.structs import replace

from palimp_daemon.features.memories.erase_rows import ErasedSource, erase, erase_quotes
from palimp_daemon.features.memories.memory_names import rows_of_names
from palimp_daemon.features.removed_code.removed_code_handlers import is_hunk
from palimp_daemon.store.checks.rewriting import rewrite
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import GLOBAL_PROJECT, Store, project_row
from palimp_daemon.store.tables.erasures import note_erasure, pending_erasure, settle_erasures
from palimp_daemon.store.tables.memory_rows import Row
from palimp_daemon.store.tables.sessions.failed_commands import erase_failures
from palimp_daemon.store.worker.actor import Actor
from palimp_daemon.store.worker.group_commit import Job
from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.erasure import Erase, Erased
from palimp_protocol.text import count_of

COPIES: Final = "Backups and exports that were made before still have them."

TRY_AGAIN_S: Final = 600.0
"""Seconds before a failed rewrite of the whole database is retried."""


class HardDelete:
    """Answers `erase`, and finishes erasures, also interrupted ones."""

    def __init__(self, actor: Actor, database: Path, now_ms: Callable[[], int], random: Callable[[], int]) -> None:
        self._actor = actor
        self._database = database
        self._now_ms = now_ms
        self._random = random
        self._rewriting = trio.Lock()
        self._is_left_over = trio.Event()

    async def erase(self, request: Erase, caller: Caller, request_id: bytes) -> Erased:
        """Erase the named rows; a note tells if the rewrite is still due.

        Raises:
            PalimpError: the store cannot be used; nothing was erased.
        """
        now_ms = self._now_ms()
        titles: dict[str, str] = {}

        def work(store: Store) -> Erased:
            erased = erase(RequestContext(store, caller, now_ms, self._random), request)
            titles.update(erased.memories)
            # What is remembered under the request id has no titles: they are part of what is erased.
            return replace(erased, memories=[(shown, "") for shown, _ in erased.memories])

        job = Job(work, is_write=True, now_ms=now_ms, request_id=request_id, reply_type=Erased)
        erased: Erased = await self._actor.ask(job.allow_on_full_disk())
        named = [(shown, titles.get(shown, "")) for shown, _ in erased.memories]
        return await self.finish_erasing(replace(erased, memories=named))

    async def erase_commands(self, request: Erase, caller: Caller) -> Erased:
        """Erase known failed commands of a session or project."""
        now_ms = self._now_ms()

        def work(store: Store) -> int:
            project = project_row(store, caller)
            if project is None and not request.session:
                return 0
            gone = erase_failures(store, project or GLOBAL_PROJECT, request.session, request.containing)
            if gone:
                note_erasure(store, now_ms)
            return gone

        gone: int = await self._actor.ask(Job(work, is_write=True).allow_on_full_disk())
        done = await self.finish_erasing(Erased(memories=[], turns=gone))
        return replace(
            done, turns=0, notes=[f"{count_of(gone, 'command')} that had failed, too.", *done.notes] if gone else []
        )

    async def rows_of(self, names: Sequence[str], caller: Caller) -> list[Row]:
        """Return the memories of *names*, ignoring removed code."""
        now_ms = self._now_ms()

        def work(store: Store) -> list[Row]:
            context = RequestContext(store, caller, now_ms, self._random)
            return rows_of_names(context, [name for name in names if not is_hunk(name)])[0]

        return await self._actor.ask(Job(work, is_write=False))

    async def erase_quotes(self, wanted: Sequence[Erase | ErasedSource], caller: Caller) -> Erased:
        """Erase quotes of *wanted*, turns of the other database.

        Raises:
            PalimpError: the store cannot be used.
        """
        now_ms = self._now_ms()

        def work(store: Store) -> bool:
            return erase_quotes(RequestContext(store, caller, now_ms, self._random), wanted)

        nothing = Erased(memories=[])
        is_quoted: bool = await self._actor.ask(Job(work, is_write=True, now_ms=now_ms).allow_on_full_disk())
        return await self._written_anew(nothing) if is_quoted else nothing

    async def finish_erasing(self, erased: Erased) -> Erased:
        """Rewrite the file if *erased* has rows; add notes."""
        return await self._written_anew(erased) if erased.memories or erased.turns else erased

    async def _written_anew(self, erased: Erased) -> Erased:
        try:
            problem = await self.finish()
        except trio.Cancelled:
            self._is_left_over.set()
            raise
        if problem is None:
            return replace(erased, notes=[*erased.notes, COPIES, *_copies(self._database)])
        why = (
            "They are no longer found, but their words are still in the file, which cannot be written anew yet:"
            f" {problem.text} This is tried again every {TRY_AGAIN_S / 60:.0f} minutes and at the next start;"
            " `palimp health` says whether it is done."
        )
        return replace(erased, notes=[*erased.notes, why], is_pending=True)

    async def keep_finishing(self) -> None:
        """Finish waiting erasures, until cancelled."""
        while True:
            self._is_left_over = trio.Event()
            await self.finish()
            with trio.move_on_after(TRY_AGAIN_S):
                await self._is_left_over.wait()

    async def finish(self) -> PalimpError | None:
        """Rewrite the database if an erasure waits; return the error that prevents it."""
        async with self._rewriting:
            try:
                up_to = await self._actor.ask(Job(pending_erasure, is_write=False))
                if not up_to:
                    return None
                with self._actor.taking_long():
                    await self._actor.ask(Job(rewrite, is_write=False))

                def settle(store: Store) -> None:
                    settle_erasures(store, up_to)

                await self._actor.ask(Job(settle, is_write=True).allow_on_full_disk())
            except PalimpError as error:
                return error
            return None


def unfinished_erasures(count: int) -> list[str]:
    """Describe *count* erasures that wait for a rewrite."""
    if not count:
        return []
    return [
        f"{count_of(count, 'erasure')} not finished: the file still has what was erased, until there is room to write"
        " it anew. That is tried again every ten minutes and at the next start."
    ]


def _copies(database: Path) -> list[str]:
    return [
        f"{copy} has them, too: it was kept from before a {why}. Remove it when you do not need it any more."
        for kind, why in (("schema", "migration"), ("damaged", "repair"))
        for copy in sorted(database.parent.glob(f"{database.name}.{kind}-*"))
    ]
