"""Erasing for good: after it, no page of the database, of its index or of its log says what a memory said.

Theory
------
A row that SQLite deletes stays in free pages until they are used again, the words of a deleted document in the segments
of the index until they are merged, and both in the write-ahead log. So the index is merged into one segment, the
database is written anew (VACUUM), and the log is moved into it and cut to nothing. That costs seconds per hundred
megabytes, in which others wait; it is for a secret that got in, not for tidying.

Copies are not reached: backups, exports, file systems that keep old blocks.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from palimp_daemon.actor import Actor
from palimp_daemon.group_commit import Job
from palimp_daemon.operations.desk import Desk
from palimp_daemon.operations.erasing import erase
from palimp_daemon.store.rewriting import rewrite
from palimp_daemon.store.store import Store
from palimp_protocol.errors import PalimpError
from palimp_protocol.operations import Caller
from palimp_protocol.upkeep import Erase, Erased

COPIES: Final = "Backups and exports that were made before still have them."


class Erasures:
    """Answers `erase`."""

    def __init__(self, actor: Actor, database: Path, now_ms: Callable[[], int], random: Callable[[], int]) -> None:
        self._actor = actor
        self._database = database
        self._now_ms = now_ms
        self._random = random

    async def erase(self, request: Erase, caller: Caller) -> Erased:
        """Erase what *request* names; the answer says what is left to do when the file could not be written anew.

        Raises:
            PalimpError: the store cannot be used; nothing was erased.
        """
        now_ms = self._now_ms()

        def work(store: Store) -> Erased:
            return erase(Desk(store, caller, now_ms, self._random), request)

        # Not remembered by its request id: the reply has the titles. Sent again, it erases nothing more.
        erased: Erased = await self._actor.ask(Job(work, is_write=True, now_ms=now_ms).making_room())
        if not erased.memories:
            return erased
        self._actor.takes_long = True
        try:
            await self._actor.ask(Job(rewrite, is_write=False))
        except PalimpError as error:
            why = f"They are found no more, but their words are still in the file, which cannot be rewritten: {error}"
            return Erased(memories=erased.memories, unknown=erased.unknown, notes=[why])
        finally:
            self._actor.takes_long = False
        return Erased(memories=erased.memories, unknown=erased.unknown, notes=[COPIES, *_copies(self._database)])


def _copies(database: Path) -> list[str]:
    """Return what is to be said of copies that migrations and repairs left of *database*."""
    return [
        f"{copy} has them, too: it was kept from before a {why}. Remove it when you do not need it any more."
        for kind, why in (("schema", "migration"), ("damaged", "repair"))
        for copy in sorted(database.parent.glob(f"{database.name}.{kind}-*"))
    ]
