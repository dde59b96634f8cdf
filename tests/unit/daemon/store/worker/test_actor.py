"""The actor: asynchronous callers, one thread, a bounded mailbox."""

import contextlib
import threading
from pathlib import Path

import pytest
import trio

from palimp_daemon.store.opening import open_store
from palimp_daemon.store.sqlite_connection import StoreUnavailableError
from palimp_daemon.store.store import Store
from palimp_daemon.store.worker import actor as actor_module
from palimp_daemon.store.worker.actor import Actor
from palimp_daemon.store.worker.group_commit import Job
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.limits import MAILBOX_JOBS_MAX


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "palimp.db"


@pytest.fixture
async def actor(path: Path, nursery):
    started = Actor(lambda: open_store(path, "auto"), lambda _: None)
    await nursery.start(started.run)
    return started


def count(store: Store) -> int:
    return store.connection.execute("SELECT count(*) FROM projects").fetchall()[0][0]


def add(name: str):
    def work(store: Store) -> str:
        store.connection.execute("INSERT INTO projects (root, name, created_at) VALUES (?, '', 1)", (name,))
        return name

    return Job(work, is_write=True)


async def test_reads_see_what_was_written_before(actor: Actor):
    """A save that was answered is there for everybody."""
    assert await actor.ask(add("a")) == "a"
    assert await actor.ask(Job(count, is_write=False)) == 2


async def test_it_is_quiet_once_nobody_waits(actor: Actor):
    """From the moment on in which the last job came."""
    started, gate = threading.Event(), threading.Event()

    def hold(_: Store) -> None:
        started.set()
        gate.wait()

    assert actor.quiet_s > 0
    outcome = actor.begin(Job(hold, is_write=False))
    await trio.to_thread.run_sync(started.wait)
    assert actor.quiet_s == 0
    gate.set()
    await outcome()
    assert 0 < actor.quiet_s < float("inf")


async def test_a_read_behind_a_write_sees_it_though_both_come_during_a_slice_of_reads(actor: Actor, monkeypatch):
    """Of the same asker; another's read does not wait."""
    monkeypatch.setattr(actor_module, "READ_SLICE_S", 20.0)  # which does not end on a busy machine either
    started, gate, order = threading.Event(), threading.Event(), list[str]()

    def hold(_: Store) -> None:
        started.set()
        gate.wait()

    def read(asker: bytes) -> Job:
        job = Job(lambda store: (order.append(asker.decode()), count(store))[1], is_write=False)
        job.for_asker(asker)
        return job

    held = actor.begin(Job(hold, is_write=False))
    await trio.to_thread.run_sync(started.wait)
    write = add("a")
    write.for_asker(b"same")
    outcomes = [actor.begin(job) for job in (write, read(b"same"), read(b"other"))]
    gate.set()

    with trio.fail_after(60):
        await held()
        assert [await outcome() for outcome in outcomes] == ["a", 2, 1]
    assert order == ["other", "same"]


async def test_a_read_waits_for_the_write_that_is_being_done_and_not_for_those_that_are_alone_behind_it(actor: Actor):
    """Who reads what clients wrote stores for a minute, part by part."""
    started, gate, order = threading.Event(), threading.Event(), list[str]()

    def held(_: Store) -> None:
        started.set()
        gate.wait()

    def noted(name: str, *, is_write: bool) -> Job:
        return Job(lambda _: order.append(name), is_write=is_write)

    writing = actor.begin(Job(held, is_write=True).in_own_transaction())
    await trio.to_thread.run_sync(started.wait)
    jobs = (
        noted("next part", is_write=True).in_own_transaction(),
        noted("its last", is_write=True).in_own_transaction(),
        noted("read", is_write=False),
    )
    outcomes = [writing, *(actor.begin(job) for job in jobs)]
    gate.set()

    with trio.fail_after(60):
        for outcome in outcomes:
            await outcome()
    assert order == ["read", "next part", "its last"]


async def test_many_callers_are_all_answered(actor: Actor):
    """Each with its own reply."""
    replies: list[str] = []

    async def ask(name: str) -> None:
        replies.append(await actor.ask(add(name)))

    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            for number in range(300):
                nursery.start_soon(ask, str(number))

    assert sorted(replies) == sorted(str(number) for number in range(300))
    assert actor.waiting_jobs == 0


async def test_one_thread_owns_the_store(actor: Actor):
    """Reads and writes run in the same one, which is not the caller's."""
    threads = {await actor.ask(Job(lambda _: threading.get_ident(), is_write=is_write)) for is_write in (True, False)}

    assert len(threads) == 1
    assert threading.get_ident() not in threads


async def test_a_full_mailbox_is_said(actor: Actor, nursery):
    """The caller is told at once, and when there is room again it is served."""
    gate = threading.Event()
    waiting = Job(lambda _: gate.wait(20), is_write=False)
    nursery.start_soon(actor.ask, waiting)
    for _ in range(MAILBOX_JOBS_MAX - 1):
        nursery.start_soon(actor.ask, Job(count, is_write=False))
    await trio.testing.wait_all_tasks_blocked()

    with pytest.raises(PalimpError) as refused:
        await actor.ask(Job(count, is_write=False))

    assert refused.value.code is ErrorCode.BUSY
    gate.set()
    with trio.fail_after(60):
        while actor.waiting_jobs:
            await trio.lowlevel.checkpoint()
    assert await actor.ask(Job(count, is_write=False)) == 1


async def test_who_comes_during_a_slice_of_reads_does_not_wait_for_its_end(actor: Actor, monkeypatch):
    """One client has many reads waiting; another's only one is next once it is there."""
    monkeypatch.setattr("palimp_daemon.store.worker.actor.READ_SLICE_S", 60.0)
    gate, is_running, order = threading.Event(), threading.Event(), []

    def read(name: str) -> Job:
        def work(_: Store) -> None:
            order.append(name)
            is_running.set()
            gate.wait(20)

        job = Job(work, is_write=False)
        job.for_asker(name[:1].encode())
        return job

    with trio.fail_after(60):
        many = [actor.begin(read(f"a{number}")) for number in range(3)]
        await trio.to_thread.run_sync(is_running.wait)
        single = actor.begin(read("b"))
        gate.set()
        for outcome in (*many, single):
            await outcome()

    assert order == ["a0", "b", "a1", "a2"]


async def test_nothing_is_read_for_who_does_not_take_its_answers(path: Path, nursery):
    """They are told so; what they write is written, and the others are served."""

    def asked_by(asker: bytes, job: Job) -> Job:
        job.for_asker(asker)
        return job

    actor = Actor(lambda: open_store(path, "auto"), lambda _: None, unread={b"stuck"})
    await nursery.start(actor.run)
    with trio.fail_after(60):
        stuck = actor.begin(asked_by(b"stuck", Job(count, is_write=False)))
        written = actor.begin(asked_by(b"stuck", add("a")))
        other = actor.begin(asked_by(b"other", Job(count, is_write=False)))
        with pytest.raises(PalimpError) as refused:
            await stuck()
        assert refused.value.code is ErrorCode.BUSY
        assert await written() == "a"
        assert await other() in (1, 2)


async def test_who_waits_for_the_next_answer_goes_on_when_anybody_has_one(actor: Actor, nursery):
    """Not before, and every time anew."""
    order: list[str] = []

    async def wait() -> None:
        await actor.next_answer()
        order.append("waited")

    for _ in range(2):
        nursery.start_soon(wait)
        await trio.testing.wait_all_tasks_blocked()
        order.append("asked")
        await actor.ask(Job(count, is_write=False))
        await trio.testing.wait_all_tasks_blocked()

    assert order == ["asked", "waited"] * 2


async def test_who_comes_during_a_slice_in_which_the_store_was_refused_is_told_so(actor: Actor):
    """As when the integrity scan finds damage, and somebody asks before the slice is over."""
    later = []

    def refuse_and_ask() -> None:
        actor.refuse(PalimpError(ErrorCode.STORE_UNAVAILABLE, "It is damaged."))
        later.append(actor.begin(Job(count, is_write=False)))

    await actor.ask(Job(lambda _: trio.from_thread.run_sync(refuse_and_ask), is_write=False))
    with pytest.raises(PalimpError, match="It is damaged"):
        await later[0]()


async def test_a_refusal_is_kept_that_comes_while_it_is_looked_whether_the_store_is_well(actor: Actor, monkeypatch):
    """The store's thread has just read that nothing was refused when another thread refuses everything."""

    def refused_meanwhile(_: Store) -> None:
        if actor.problem is None:
            actor.refuse(PalimpError(ErrorCode.STORE_UNAVAILABLE, "It is damaged."))

    await actor.ask(Job(count, is_write=False))  # it is open
    monkeypatch.setattr(Store, "lost", property(refused_meanwhile))
    with pytest.raises(PalimpError, match="It is damaged"):
        await actor.ask(Job(count, is_write=False))


async def test_a_write_whose_caller_left_is_done_all_the_same(actor: Actor):
    """It was said to be on its way; the client will ask again with the same id."""
    gate = threading.Event()
    blocked = Job(lambda _: gate.wait(20), is_write=True)
    async with trio.open_nursery() as callers:
        callers.start_soon(actor.ask, blocked)
        callers.start_soon(actor.ask, add("orphan"))
        await trio.testing.wait_all_tasks_blocked()
        callers.cancel_scope.cancel()
    gate.set()

    assert await actor.ask(Job(count, is_write=False)) == 2


async def test_ending_finishes_the_mailbox_and_closes(path: Path):
    """What is waiting when the actor is cancelled is still written."""
    actor = Actor(lambda: open_store(path, "auto"), lambda _: None)
    async with trio.open_nursery() as life, trio.open_nursery() as callers:
        await life.start(actor.run)
        gate = threading.Event()
        callers.start_soon(actor.ask, Job(lambda _: gate.wait(20), is_write=True))
        callers.start_soon(actor.ask, add("last"))
        await trio.testing.wait_all_tasks_blocked()
        life.cancel_scope.cancel()
        gate.set()

    store = open_store(path, "auto")
    assert count(store) == 2
    assert not path.with_name("palimp.db-wal").exists() or path.with_name("palimp.db-wal").stat().st_size == 0
    store.connection.close()


async def test_a_store_that_cannot_be_opened_is_an_answer(nursery):
    """Every job gets the reason and what to do; nothing crashes."""

    def refuse() -> Store:
        raise StoreUnavailableError("It is broken.", "Mend it.")

    actor = Actor(refuse, lambda _: None)
    await nursery.start(actor.run)

    for job in (add("a"), Job(count, is_write=False)):
        with pytest.raises(PalimpError, match=r"It is broken\.") as refused:
            await actor.ask(job)
        assert refused.value.hint == "Mend it."
    assert actor.problem is not None


async def test_a_store_that_could_not_be_opened_is_tried_again_for_who_asks_later(path: Path, nursery, monkeypatch):
    """When the disk has room again, or the file is back."""
    tries: list[int] = []

    def refuse_once() -> Store:
        tries.append(1)
        if len(tries) == 1:
            raise StoreUnavailableError("The disk is full.", "Free some space.")
        return open_store(path, "auto")

    monkeypatch.setattr("palimp_daemon.store.worker.actor.OPEN_AGAIN_S", 0.01)
    actor = Actor(refuse_once, lambda _: None)
    await nursery.start(actor.run)
    with pytest.raises(PalimpError, match="full"):
        await actor.ask(Job(count, is_write=False))
    assert actor.problem is not None
    while len(tries) == 1:
        with contextlib.suppress(PalimpError):
            await actor.ask(Job(count, is_write=False))
    assert await actor.ask(Job(count, is_write=False)) == 1
    assert actor.problem is None
