"""A large database is examined in the background, to its end, however much is asked for meanwhile."""

import dataclasses
import math
import threading
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import apsw
import pytest
import trio
from request_contexts import NOON_MS, RequestContexts

from palimp_daemon.dispatch.state import DaemonState
from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.server.background import integrity_scan
from palimp_daemon.server.background.integrity_scan import IntegrityScan, is_to_rest
from palimp_daemon.store import opening
from palimp_daemon.store.checks import verify
from palimp_daemon.store.checks.derived_indexes import WORDS
from palimp_daemon.store.checks.rebuild import begin_rebuild, fill_next, is_filling, rebuilds
from palimp_daemon.store.derived_index import Filling
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.store import Store
from palimp_daemon.store.worker import copying
from palimp_daemon.store.worker.actor import Actor
from palimp_daemon.store.worker.group_commit import Job
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.memory_messages import Recall, SaveMemory

MEMORIES = 30


@pytest.fixture
async def daemon(tmp_path: Path, nursery, monkeypatch):
    """What the integrity scan needs of the daemon, with a database too large to be examined at the start."""
    monkeypatch.setattr(opening, "EXAMINED_AT_START_BYTES", 0)
    monkeypatch.setattr(verify, "PIECE", 7)
    monkeypatch.setattr(copying, "COPY_PAGES", 1)
    monkeypatch.setattr(integrity_scan, "FIRST_S", math.inf)
    path = tmp_path / "palimp.db"
    actor = Actor(partial(open_store, path, "auto"), lambda error: None)
    await nursery.start(actor.run)

    def fill(store: Store) -> None:
        request_context = RequestContexts(store)
        for number in range(MEMORIES):
            save_memory(request_context(), SaveMemory(text=f"Fact number{number} of the examined."))

    await actor.ask(Job(fill, is_write=True))
    logged: list[str] = []
    state = DaemonState("b", 0.0)
    scan = IntegrityScan(actor, path, state, lambda: NOON_MS, lambda event, **_: logged.append(event))
    nursery.start_soon(scan.keep_examining)
    return SimpleNamespace(actor=actor, state=state, scan=scan, logged=logged, path=path)


async def test_a_whole_database_is_noted_and_served(daemon):
    await daemon.scan.examine()
    assert daemon.state.examined_at == NOON_MS
    assert daemon.actor.problem is None


async def test_a_memory_in_a_later_piece_that_was_altered_ends_the_serving(daemon):
    def alter(store: Store) -> None:
        store.connection.execute("DROP TRIGGER memories_sum_update")
        store.connection.execute("UPDATE memories SET title = 'other' WHERE seq = 29")

    await daemon.actor.ask(Job(alter, is_write=True))
    await daemon.scan.examine()
    assert daemon.state.examined_at == 0
    with pytest.raises(PalimpError, match="memory number 29"):
        await daemon.actor.ask(Job(lambda _: None, is_write=False))


def found(daemon, words: str):
    """Return what is found by *words*, once the indexes are whole."""

    def work(store: Store) -> int:
        while is_filling(store):
            fill_next(store)
        return recall(RequestContexts(store)(), Recall(query=words)).total

    return daemon.actor.ask(Job(work, is_write=False))


@pytest.mark.parametrize("only", ["", " WHERE rowid = 23"])
async def test_an_index_that_lost_memories_is_built_anew_while_it_serves(daemon, only: str):
    """However large the database is; and who asks for health is told when and why."""

    def lose(store: Store) -> None:
        store.connection.execute(f"DELETE FROM memories_fts{only}")

    await daemon.actor.ask(Job(lose, is_write=True))
    await daemon.scan.examine()
    assert daemon.state.examined_at == NOON_MS
    assert await found(daemon, "number22") == 1
    told = await daemon.actor.ask(Job(rebuilds, is_write=False))
    assert [(each.index, each.is_running) for each in told] == [("the words of memories", False)]
    assert "does not have the rows" in told[0].sentence("now")
    assert daemon.logged == []


async def test_a_memory_that_is_indexed_by_other_words_is_noticed_wherever_it_is(daemon):
    """The background compares all of them."""

    def mangle(store: Store) -> None:
        store.connection.execute("DELETE FROM memories_fts WHERE rowid = 11")
        store.connection.execute("INSERT INTO memories_fts (rowid, content) VALUES (11, 'something else')")

    await daemon.actor.ask(Job(mangle, is_write=True))
    assert await found(daemon, "number10") == 0
    await daemon.scan.examine()
    assert await found(daemon, "number10") == 1


async def test_an_index_that_differs_again_is_left_alone(daemon, monkeypatch):
    """A comparison that is wrong costs one rebuild, not one after the other, and never the service."""
    wrong = dataclasses.replace(WORDS, differing=lambda store, numbers: 1)
    monkeypatch.setattr(verify, "ALL_DERIVED", (wrong,))
    for _ in range(3):
        await daemon.scan.examine()
        await found(daemon, "number10")
    assert daemon.logged == ["index_differs_again"] * 2
    assert daemon.actor.problem is None
    assert len(await daemon.actor.ask(Job(rebuilds, is_write=False))) == 1


async def test_what_is_looked_at_idly_gives_way(daemon):
    """It is broken off when another job comes, and answers None."""
    gate, is_running = threading.Event(), threading.Event()

    def long(store: Store) -> None:
        is_running.set()
        gate.wait(20)
        store.connection.execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n")

    answers: list[object] = ["nothing yet"]

    async def look() -> None:
        answers.append(await daemon.actor.ask_idly(Job(long, is_write=False)))

    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(look)
            await trio.to_thread.run_sync(is_running.wait)
            asked = daemon.actor.begin(Job(lambda _: "served", is_write=False))
            gate.set()
            assert await asked() == "served"
    assert answers == ["nothing yet", None]


@pytest.mark.parametrize(
    ("quiet_s", "rested_s", "is_waited_for", "rests"),
    [
        (0.0, 0.0, False, True),  # somebody is asking
        (0.05, 0.1, False, True),  # and may ask again
        (0.5, 0.0, False, False),
        (0.0, 0.5, False, False),  # it ends however much is asked for
        (0.0, 0.0, True, False),
    ],
)
def test_it_rests_a_while_where_others_ask_and_nobody_waits_for_it(quiet_s, rested_s, is_waited_for, rests):
    assert is_to_rest(quiet_s, rested_s, is_waited_for=is_waited_for) is rests


async def test_it_asks_after_each_piece_whether_to_rest(daemon, monkeypatch):
    """And does not where somebody waits for its end."""
    asked = list[bool]()

    def never(_quiet_s: float, _rested_s: float, *, is_waited_for: bool) -> bool:
        asked.append(is_waited_for)
        return False

    monkeypatch.setattr(integrity_scan, "is_to_rest", never)

    await daemon.scan.examine()

    assert len(asked) > MEMORIES / 7
    assert all(asked)


async def test_it_ends_however_much_is_asked_for_and_saved_meanwhile(daemon):
    """Sessions that never pause do not have it begin anew, and what they save is no damage."""
    served = 0

    async def keep_asking(number: int) -> None:
        nonlocal served
        while not daemon.state.examined_at:
            text = f"Fact busy{number}n{served} of the examined."
            save = partial(_save, text=text)
            await daemon.actor.ask(Job(save, is_write=True))
            await daemon.actor.ask(Job(lambda store: None, is_write=False))
            served += 1

    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            for number in range(3):
                nursery.start_soon(keep_asking, number)
            await daemon.scan.examine()
    assert served > 3
    assert daemon.logged == []
    assert await daemon.actor.ask(Job(rebuilds, is_write=False)) == []


def _save(store: Store, text: str) -> None:
    save_memory(RequestContexts(store)(), SaveMemory(text=text))


async def test_the_second_who_wants_it_joins_the_first(daemon, monkeypatch):
    """And who leaves does not end it for the others."""
    begun: list[int] = []

    async def counted(*args):
        begun.append(1)
        return await copying.copy_database(*args)

    monkeypatch.setattr(integrity_scan, "copy_database", counted)
    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            leaving = trio.CancelScope()

            async def leave() -> None:
                with leaving:
                    await daemon.scan.examine()

            nursery.start_soon(leave)
            nursery.start_soon(daemon.scan.examine)
            while not begun:
                await trio.lowlevel.checkpoint()
            leaving.cancel()
            nursery.start_soon(daemon.scan.examine)
    assert daemon.state.examined_at == NOON_MS
    assert begun == [1]
    await daemon.scan.examine()
    assert begun == [1, 1], "who wants one later wants a new one"


async def test_without_room_for_a_copy_the_database_itself_is_looked_at(daemon, monkeypatch):
    """Damage is found on a full disk, too, and a look that gave way is begun anew."""
    monkeypatch.setattr(integrity_scan, "AGAIN_S", 0.0)
    monkeypatch.setattr(integrity_scan, "nameless_database", _small_database)
    await daemon.scan.examine()
    assert daemon.state.examined_at == NOON_MS
    assert daemon.logged == ["examined_in_place"]

    def alter(store: Store) -> None:
        store.connection.execute("DROP TRIGGER memories_sum_update")
        store.connection.execute("UPDATE memories SET title = 'other' WHERE seq = 29")

    await daemon.actor.ask(Job(alter, is_write=True))
    is_seen = threading.Event()
    monkeypatch.setattr(verify, "structure_of", partial(_slowly, is_seen, verify.structure_of))
    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(daemon.scan.examine)
            await trio.to_thread.run_sync(is_seen.wait)
            await daemon.actor.ask(Job(lambda _: None, is_write=False))
    with pytest.raises(PalimpError, match="memory number 29"):
        await daemon.actor.ask(Job(lambda _: None, is_write=False))


async def test_a_copy_that_is_not_ended_is_closed(daemon, monkeypatch):
    """A daemon that stops, or whose database cannot be read any more, leaves no file open."""
    copies: list[apsw.Connection] = []

    def remembered() -> apsw.Connection:
        copies.append(copying.nameless_database())
        return copies[-1]

    monkeypatch.setattr(integrity_scan, "nameless_database", remembered)
    scan = IntegrityScan(daemon.actor, daemon.path, daemon.state, lambda: NOON_MS, lambda *_, **__: None)
    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(scan.keep_examining)
            nursery.start_soon(scan.examine)
            while not copies:
                await trio.lowlevel.checkpoint()
            await daemon.actor.next_answer()
            nursery.cancel_scope.cancel()
    with pytest.raises(apsw.ConnectionClosedError):
        copies[0].execute("SELECT 1")


def _small_database() -> apsw.Connection:
    copy = copying.nameless_database()
    copy.execute("PRAGMA max_page_count = 5")
    return copy


def _slowly(is_seen: threading.Event, structure_of, connection: apsw.Connection):
    """Look at the structure for long, the first time."""
    if not is_seen.is_set():
        is_seen.set()
        connection.execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n")
    return structure_of(connection)


async def test_a_bug_in_a_comparison_ends_neither_it_nor_the_daemon(daemon, monkeypatch):
    """It is said, and the database is not called well."""

    def wrong(store: Store, numbers: object) -> int | None:
        raise TypeError("a text is no number")

    monkeypatch.setattr(verify, "ALL_DERIVED", (dataclasses.replace(WORDS, differing=wrong),))
    await daemon.scan.examine()
    assert daemon.logged == ["examination_failed"]
    assert daemon.state.examined_at == 0
    assert daemon.actor.problem is None


async def test_an_index_that_is_being_built_is_not_compared(daemon):
    """Its rows are not all in it yet."""

    def lose(store: Store) -> None:
        store.connection.execute("DELETE FROM memories_fts")

    def begin(store: Store) -> None:
        begin_rebuild(store, WORDS, "it is tried")
        store.state(Filling).indexes[0].give_up()  # so that it stays as it is

    await daemon.actor.ask(Job(lose, is_write=True))
    await daemon.actor.ask(Job(begin, is_write=False))
    await daemon.scan.examine()
    assert len(await daemon.actor.ask(Job(rebuilds, is_write=False))) == 1


async def test_a_store_that_is_opened_late_is_examined_then(daemon, nursery, monkeypatch):
    await daemon.scan.examine()  # the scan of the daemon here rests from then on: it is not the one looked at
    monkeypatch.setattr(integrity_scan, "OPENED_S", 0.01)
    monkeypatch.setattr(integrity_scan, "FIRST_S", 0.0)
    daemon.actor.refuse(PalimpError(ErrorCode.STORE_UNAVAILABLE, "Another program holds it open."))
    state, path = DaemonState("b", 0.0), daemon.path
    scan = IntegrityScan(daemon.actor, path, state, lambda: NOON_MS, lambda event, **_: daemon.logged.append(event))
    nursery.start_soon(scan.keep_examining)
    with trio.fail_after(60):
        await scan.examine()
        await scan.examine()
        assert state.examined_at == 0
        daemon.actor.problem = None
        while not state.examined_at:
            await trio.sleep(0.01)
    assert daemon.logged == [], "what cannot be opened is not examined"
    nursery.cancel_scope.cancel()
