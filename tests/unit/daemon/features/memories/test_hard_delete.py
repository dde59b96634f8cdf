"""Erasing for good: the file is written anew, and the answer says what is left to do where it could not be."""

import itertools
from functools import partial
from pathlib import Path

import pytest
import trio
from request_contexts import NOON_MS, RequestContexts

from palimp_daemon.features.memories.hard_delete import COPIES, HardDelete, unfinished_erasures
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.erasures import note_erasure, pending_erasures
from palimp_daemon.store.worker.actor import Actor
from palimp_daemon.store.worker.group_commit import Job
from palimp_protocol.messages.caller import Caller, ProjectRef, SessionRef
from palimp_protocol.messages.erasure import Erase, Erased
from palimp_protocol.messages.memory_messages import Saved, SaveMemory

CALLER = Caller(ProjectRef("/work/one", "one"), SessionRef("s1", "test"))
REQUEST_ID = b"r" * 24


class Erasing:
    """What erases, and its store."""

    def __init__(self, database: Path) -> None:
        self.database = database
        self.actor = Actor(partial(open_store, database, "auto"), lambda error: None)
        bits = itertools.count(1)
        self.hard_delete = HardDelete(self.actor, database, lambda: NOON_MS, lambda: next(bits))

    async def save(self, text: str) -> str:
        """Save a memory by a request whose answer is kept, in case it is asked again; return its id."""

        def work(store: Store) -> Saved:
            made = RequestContexts(store)("/work/one")
            return save_memory(RequestContext(store, made.caller, NOON_MS, made.random), SaveMemory(text=text))

        request_id = text.encode().ljust(24)[:24]
        job = Job(work, is_write=True, now_ms=NOON_MS, request_id=request_id, reply_type=Saved)
        return (await self.actor.ask(job)).id

    async def erase(self, *ids: str, request_id: bytes = REQUEST_ID) -> Erased:
        return await self.hard_delete.erase(Erase(ids=[*ids]), CALLER, request_id)

    async def waiting(self) -> int:
        return await self.actor.ask(Job(pending_erasures, is_write=False))

    def bytes_left(self) -> bytes:
        return b"".join(part.read_bytes() for part in self.database.parent.glob(f"{self.database.name}*"))


@pytest.fixture
async def erasing(tmp_path: Path, nursery: trio.Nursery):
    made = Erasing(tmp_path / "palimp.db")
    with trio.fail_after(60):
        await nursery.start(made.actor.run)
        yield made
        nursery.cancel_scope.cancel()


async def test_no_byte_is_left_and_the_answer_names_what_went(erasing: Erasing):
    """With the notes on copies; an unknown id is named beside it."""
    memory = await erasing.save("The word is zanzibar.\nIt opens the safe.")
    kept = await erasing.save("Nothing of it.")

    erased = await erasing.erase(memory, "mzzzzzzz")

    assert erased.memories == [(memory, "The word is zanzibar")]
    assert [each.partition(":")[0] for each in erased.unknown] == ["mzzzzzzz"]
    assert (erased.notes, erased.is_pending) == ([COPIES], False)
    assert b"zanzibar" not in erasing.bytes_left()
    assert await erasing.waiting() == 0
    assert (await erasing.erase(kept, request_id=b"s" * 24)).memories == [(kept, "Nothing of it")]


async def test_a_repeated_request_is_answered_without_titles(erasing: Erasing):
    """They are part of what is erased, so that nothing remembers them."""
    memory = await erasing.save("The word is zanzibar.")
    await erasing.erase(memory)

    assert (await erasing.erase(memory)).memories == [(memory, "")]


async def test_nothing_is_written_anew_where_nothing_was_erased(erasing: Erasing):
    erased = await erasing.erase("mzzzzzzz")

    assert (erased.memories, erased.notes, erased.is_pending) == ([], [], False)


async def test_copies_from_before_a_migration_or_a_repair_are_named(erasing: Erasing):
    """Each with its path and why it is there, in order."""
    names = [f"{erasing.database.name}.{kind}-{which}" for kind in ("schema", "damaged") for which in "12"]
    for name in reversed(names):
        (erasing.database.parent / name).touch()

    erased = await erasing.erase(await erasing.save("The word is zanzibar."))

    whys = ["migration", "migration", "repair", "repair"]
    assert erased.notes[1:] == [
        f"{erasing.database.parent / name} has them, too: it was kept from before a {why}."
        " Remove it when you do not need it any more."
        for name, why in zip(names, whys, strict=True)
    ]


async def test_a_rewrite_that_fails_is_said_and_tried_again(erasing: Erasing, monkeypatch):
    """The answer says so at once; a later try, or the next start, ends it."""
    monkeypatch.setattr(
        "palimp_daemon.features.memories.hard_delete.rewrite", lambda store: store.execute("INSERT INTO no_table")
    )
    erased = await erasing.erase(await erasing.save("The word is zanzibar."))
    assert erased.is_pending
    assert erased.notes[0].startswith("They are no longer found, but their words are still in the file,")
    assert "tried again every 10 minutes and at the next start" in erased.notes[0]
    assert await erasing.waiting() == 1
    assert await erasing.hard_delete.finish() is not None
    monkeypatch.undo()
    monkeypatch.setattr("palimp_daemon.features.memories.hard_delete.TRY_AGAIN_S", 0.0)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(erasing.hard_delete.keep_finishing)
        while await erasing.waiting():
            await trio.lowlevel.checkpoint()
        nursery.cancel_scope.cancel()

    assert b"zanzibar" not in erasing.bytes_left()


async def test_what_a_cancelled_answer_left_over_is_finished_at_once(erasing: Erasing):
    """Not after ten minutes: who asked may be gone, and the words are still in the file."""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(erasing.hard_delete.keep_finishing)
        await erasing.actor.ask(Job(lambda store: note_erasure(store, NOON_MS), is_write=True))
        with trio.CancelScope() as scope:
            scope.cancel()
            await erasing.hard_delete.finish_erasing(Erased(memories=[("m1", "")]))
        with trio.fail_after(30):
            while await erasing.waiting():
                await trio.lowlevel.checkpoint()
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize(("count", "begins"), [(1, "1 erasure not finished:"), (2, "2 erasures not finished:")])
def test_health_counts_what_waits(count: int, begins: str):
    (said,) = unfinished_erasures(count)

    assert said.startswith(begins)
    assert said.endswith(" to write it anew. That is tried again every ten minutes and at the next start.")
    assert unfinished_erasures(0) == []
