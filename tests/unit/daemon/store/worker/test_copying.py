"""A copy of the database is that of one moment, however busy that is, and others are served while it is made."""

import random
from functools import partial
from pathlib import Path

import apsw
import pytest
import trio
from request_contexts import RequestContexts

from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.runtime.sql import value
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.memory_rows import set_purged
from palimp_daemon.store.worker import copying
from palimp_daemon.store.worker.actor import Actor
from palimp_daemon.store.worker.copying import NotCopiedError, copy_database, nameless_database
from palimp_daemon.store.worker.group_commit import Job
from palimp_protocol.messages.memory_messages import SaveMemory

MEMORIES = 12


def save(store: Store, number: int) -> int:
    """Save a memory of some pages."""
    save_memory(RequestContexts(store)(), SaveMemory(text=f"Fact number{number}: {'copied ' * 500}"))
    return number


@pytest.fixture
async def actor(tmp_path: Path, nursery, monkeypatch):
    """The owner of a database of some hundred pages, of which one is copied at a time."""
    monkeypatch.setattr(copying, "COPY_PAGES", 1)
    actor = Actor(partial(open_store, tmp_path / "palimp.db", "auto"), lambda error: None)
    await nursery.start(actor.run)
    for number in range(MEMORIES):
        await actor.ask(Job(partial(save, number=number), is_write=True))
    return actor


def memories(store: Store) -> int:
    """Return how many memories there are."""
    return value(store.connection, "SELECT count(*) FROM memories")


async def test_a_copy_is_the_database_of_one_moment_whatever_is_written_meanwhile(actor):
    """It is whole, and has just what was there when its last page was copied."""
    chance, is_copied = random.Random(5), False

    async def keep_writing() -> None:
        number = MEMORIES
        while not is_copied:
            number += 1
            await actor.ask(Job(partial(save, number=number), is_write=True))
            seq = chance.randrange(1, number)
            await actor.ask(Job(partial(set_purged, seq=seq, purged_at=chance.choice([5, None])), is_write=True))

    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(keep_writing)
            copy = nameless_database()
            there = await copy_database(actor, copy, memories)
            is_copied = True
    assert there > MEMORIES
    assert value(copy, "SELECT count(*) FROM memories") == there
    assert copy.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    copy.close()


async def test_who_asks_while_it_is_copied_waits_for_one_step(actor):
    """And not for the copy, of which hundreds are left."""
    events: list[str] = []

    async def ask() -> None:
        assert await actor.ask(Job(memories, is_write=False)) == MEMORIES
        events.append("answered")

    async def copy() -> None:
        await copy_database(actor, nameless_database(), memories)
        events.append("copied")

    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(copy)
            for _ in range(3):
                await actor.next_answer()
            nursery.start_soon(ask)
    assert events == ["answered", "copied"]


async def test_who_leaves_leaves_no_copy_behind(actor):
    """What is written later goes into the database alone, and it can be copied again."""
    copy = nameless_database()
    with trio.CancelScope() as scope:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(copy_database, actor, copy, memories)
            for _ in range(3):
                await actor.next_answer()
            scope.cancel()
    copy.close()
    await actor.ask(Job(partial(save, number=99), is_write=True))
    assert await copy_database(actor, nameless_database(), memories) == MEMORIES + 1


async def test_without_room_it_is_said_and_the_database_serves_on(actor):
    """A full disk is no damage."""
    copy = nameless_database()
    copy.execute("PRAGMA max_page_count = 20")
    with pytest.raises(NotCopiedError, match="cannot be written"):
        await copy_database(actor, copy, memories)
    copy.close()
    assert await actor.ask(Job(memories, is_write=False)) == MEMORIES


def test_its_file_is_in_no_folder(tmp_path: Path, monkeypatch):
    """Texts that are erased while it is looked at are in no file that anybody finds, and nothing stays of it."""
    monkeypatch.chdir(tmp_path)
    copy = nameless_database()
    copy.execute("CREATE TABLE t (x)")
    copy.execute("INSERT INTO t VALUES (zeroblob(8000000))")
    assert copy.db_filename("main") == ""
    assert list(tmp_path.iterdir()) == []
    copy.close()


def test_it_is_not_held_in_memory():
    """A database may be larger than what a daemon may take."""
    copy = nameless_database()
    copy.execute("CREATE TABLE t (x)")
    copy.execute("INSERT INTO t VALUES (zeroblob(30000000))")
    used, _ = copy.status(apsw.SQLITE_DBSTATUS_CACHE_USED)
    assert used < 8_000_000
    copy.close()
