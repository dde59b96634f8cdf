"""An index is built anew in slices, between the requests of everybody else, and says so until it is whole."""

import contextlib
import threading
from collections import Counter
from functools import partial
from pathlib import Path

import apsw
import pytest
import trio
from lanes import ENGINES
from request_contexts import RequestContexts

from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.memories.save import draft, save_memory, store_drafts
from palimp_daemon.store import opening
from palimp_daemon.store.checks import rebuild
from palimp_daemon.store.checks.derived_indexes import ALL_DERIVED, WORDS
from palimp_daemon.store.checks.rebuild import begin_rebuild, fill_next, is_filling, rebuilds
from palimp_daemon.store.checks.verify import examine
from palimp_daemon.store.derived_index import Filling
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.memory_rows import erase, set_purged
from palimp_daemon.store.worker import actor as actor_module
from palimp_daemon.store.worker.actor import Actor
from palimp_daemon.store.worker.group_commit import Job
from palimp_daemon.text.redact import Redactor
from palimp_protocol.messages.memory_messages import Recall, SaveMemory

pytestmark = pytest.mark.both_engines

MEMORIES = 60


@pytest.fixture(autouse=True)
def _small_slices(monkeypatch):
    monkeypatch.setattr(rebuild, "ROWS_AT_ONCE", 7)


def fill(store: Store) -> RequestContexts:
    request_context = RequestContexts(store)
    store_drafts(
        [
            (request_context(), draft(Redactor(), SaveMemory(text=f"Fact number{n} at the café.")))
            for n in range(MEMORIES)
        ]
    )
    return request_context


def found(request_context: RequestContexts, query: str) -> tuple[int, list[str]]:
    answer = recall(request_context(), Recall(query=query, limit=50))
    return answer.total, answer.notes


def whole(store: Store) -> bool:
    """Tell whether no row of any derived table differs."""
    return not any(each.problem(store, each.next_rows(store, 0, 10_000)) for each in ALL_DERIVED)


def test_what_is_written_while_an_index_is_filled_is_in_it(store: Store):
    """And what is not yet in it is spoken of in every answer."""
    request_context = fill(store)
    begin_rebuild(store, WORDS, "a test wants it")
    total, notes = found(request_context, "café")
    assert total == 0
    assert "60 older rows are not in it yet" in notes[0]
    fill_next(store)
    save_memory(request_context(), SaveMemory(text="Saved meanwhile at the café."))
    set_purged(store, 3, 5)
    set_purged(store, 58, 5)
    set_purged(store, 58, None)
    erase(store, 5, "m5")
    total, notes = found(request_context, "café")
    assert 8 <= total <= 12  # a slice, what was saved, and the rows that a change of others touched
    assert notes
    assert [each.is_running for each in rebuilds(store)] == [True]
    while is_filling(store):
        fill_next(store)
    assert found(request_context, "café") == (MEMORIES - 1, [])
    assert whole(store)
    assert [(each.index, each.why, each.is_running) for each in rebuilds(store)] == [
        ("the words of memories", "a test wants it", False)
    ]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("derived", ALL_DERIVED, ids=lambda each: each.name)
def test_a_daemon_that_ends_in_between_leaves_it_to_the_next(tmp_path: Path, monkeypatch, engine: str, derived):
    """However large the database is; nothing is searched in part without a word."""
    path = tmp_path / "palimp.db"
    store = open_store(path, engine)
    fill(store)
    begin_rebuild(store, derived, "a test wants it")
    fill_next(store)
    store.connection.close()
    if derived.full_text:
        monkeypatch.setattr(opening, "EXAMINED_AT_START_BYTES", 0)
    store = open_store(path, engine)
    assert whole(store)
    assert found(RequestContexts(store), "café") == (MEMORIES, [])
    store.connection.close()


def test_two_indexes_are_filled_one_after_the_other(store: Store):
    """The note that both are whole comes with the last."""
    fill(store)
    for each in ALL_DERIVED:
        begin_rebuild(store, each, "a test wants it")
    begin_rebuild(store, WORDS, "again, before it was whole")
    while is_filling(store):
        assert store.connection.execute("SELECT count(*) FROM search_index").fetchall() == [(0,)] or not any(
            each.derived.full_text in ("memories_fts", "sections_fts") for each in store.state(Filling).indexes
        )
        fill_next(store)
    assert whole(store)
    assert store.connection.execute("SELECT count(*) FROM search_index").fetchall() == [(1,)]


def test_where_there_is_no_room_it_stays_as_it_is_and_says_so(store: Store):
    """It is served in part, with a note, and is no reason to refuse; the next start builds it."""
    request_context = fill(store)
    begin_rebuild(store, WORDS, "a test wants it")
    events: list[str] = []
    store.log = lambda event, **_: events.append(event)
    pages = store.connection.execute("PRAGMA page_count").fetchall()[0][0]
    store.connection.execute(f"PRAGMA max_page_count = {pages}")
    with contextlib.suppress(apsw.FullError):
        for number in range(10_000):  # until no page is free
            store.connection.execute("INSERT INTO counters (name, value) VALUES (?, 1)", ("x" * 900 + str(number),))
    while is_filling(store):
        fill_next(store)
    assert events == ["index_not_built"]
    assert "older rows are not in it yet" in found(request_context, "café")[1][0]


def test_only_the_last_rebuilds_are_remembered(store: Store):
    for number in range(rebuild.KEPT_MAX + 5):
        begin_rebuild(store, WORDS, f"the {number}th")
    told = rebuilds(store)
    assert len(told) == rebuild.KEPT_MAX
    assert told[0].why == f"the {rebuild.KEPT_MAX + 4}th"
    assert sum(each.is_running for each in told) == 1


UNDEFINED = (
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'porter', '+') WHERE name ="
    " 'memories_fts'; PRAGMA writable_schema = RESET"
)
"""As a file says that was damaged there: what SQLite says of it names no table."""

BREAKING = {
    "fts5": ["DELETE FROM memories_fts_data", "DROP TABLE memories_fts", UNDEFINED],
    "fts4": ["DROP TABLE memories_fts_segdir", "DROP TABLE memories_fts", UNDEFINED],
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("which", [0, 1, 2])
@pytest.mark.parametrize("is_write", [False, True])
async def test_an_index_that_breaks_while_it_serves_is_mended(
    tmp_path: Path, nursery, engine: str, which: int, is_write: bool
):
    """Whoever meets it first is answered, and nobody is refused."""
    path = tmp_path / "palimp.db"
    store = open_store(path, engine)
    fill(store)
    store.connection.close()
    reported: list[Exception] = []
    actor = Actor(partial(open_store, path, engine), reported.append)
    await nursery.start(actor.run)

    def spoil(store: Store) -> None:
        store.connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
        store.connection.execute(BREAKING[engine][which]).fetchall()
        store.connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)

    def save(store: Store) -> str:
        request_context = RequestContexts(store)
        request_context.bits = iter(range(5_000, 6_000))  # type: ignore[assignment]
        return save_memory(request_context(), SaveMemory(text="Saved at the broken café.")).id

    def search(store: Store) -> int:
        return recall(RequestContexts(store)(), Recall(query="café", limit=50)).total

    await actor.ask(Job(spoil, is_write=False))
    assert await actor.ask(Job(save, is_write=True)) if is_write else await actor.ask(Job(search, is_write=False)) >= 0
    with trio.fail_after(60):
        while await actor.ask(Job(is_filling, is_write=False)):
            await trio.lowlevel.checkpoint()
    assert await actor.ask(Job(search, is_write=False)) == MEMORIES + is_write
    assert actor.problem is None
    assert reported == []
    assert await actor.ask(Job(examine, is_write=False)) == ""


async def test_slices_give_way_to_requests(tmp_path: Path, nursery, monkeypatch):
    """The store's thread fills an index by itself, and answers in between who has asked meanwhile."""
    path = tmp_path / "palimp.db"
    store = open_store(path, "auto")
    fill(store)
    store.connection.close()
    somebody_waits, requests = threading.Condition(), Counter[str]()

    def fill_slice(store: Store) -> None:
        rebuild.fill_next(store)
        with somebody_waits:  # who asks while the slice is filled
            assert somebody_waits.wait_for(lambda: requests["posted"] > requests["answered"], timeout=20)

    monkeypatch.setattr(actor_module, "fill_next", fill_slice)
    actor = Actor(partial(open_store, path, "auto"), lambda error: None)
    await nursery.start(actor.run)

    def begin(store: Store) -> None:
        begin_rebuild(store, WORDS, "a test wants it")

    def left(store: Store) -> int:
        requests["answered"] += 1
        filling = store.state(Filling).indexes
        return filling[0].below if filling else 0

    await actor.ask(Job(begin, is_write=False))
    seen: list[int] = []
    with trio.fail_after(60):
        while not seen or seen[-1]:
            answer = actor.begin(Job(left, is_write=False))
            with somebody_waits:
                requests["posted"] += 1
                somebody_waits.notify()
            seen.append(await answer())
    assert len(set(seen)) > MEMORIES // rebuild.ROWS_AT_ONCE, "requests came in between all slices"
    assert sorted(seen, reverse=True) == seen
