"""One transaction for many writes: each stands or falls alone, all are durable before any is answered."""

from collections.abc import Sequence
from pathlib import Path

import apsw
import pytest

from palimp_daemon.runtime.sql import insert_rows
from palimp_daemon.store.integrity.commit_counter import read_ledger
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.store import Store, ensure_project
from palimp_daemon.store.worker.group_commit import Job, StoreLostError, commit_group
from palimp_protocol.errors import MAY_BE_DONE, ErrorCode, PalimpError
from palimp_protocol.messages.caller import Caller, ProjectRef
from palimp_protocol.messages.memory_messages import Saved


@pytest.fixture
def store(tmp_path: Path):
    opened = open_store(tmp_path / "palimp.db", "auto")
    yield opened
    opened.connection.close()


def write(name: str, request_id: bytes = b"", error: Exception | None = None) -> Job:
    """A job that adds the project *name* and answers with it, or fails afterwards."""

    def work(store: Store) -> Saved:
        store.connection.execute("INSERT INTO projects (root, name, created_at) VALUES (?, ?, 1)", (name, name))
        if error:
            raise error
        return Saved(id=name, title=name)

    return Job(work, is_write=True, now_ms=1, request_id=request_id, reply_type=Saved)


def several(store: Store, parts: Sequence[str | Exception]) -> list[Saved]:
    """Add the projects of all *parts* with one statement."""
    for part in parts:
        if isinstance(part, Exception):
            raise part
    insert_rows(store.connection, "projects (root, name, created_at)", [(name, name, len(parts)) for name in parts])
    return [Saved(id=name, title=name) for name in parts]


def together(name: str, request_id: bytes = b"", error: Exception | None = None) -> Job:
    """A job as of `write`, which may be done with others of its kind."""
    return write(name, request_id, error).batch_with(several, error or name)


def at_once(store: Store) -> dict[str, int]:
    """With how many each project was added."""
    return dict(store.connection.execute("SELECT name, created_at FROM projects WHERE id ORDER BY id"))


def names(store: Store) -> list[str]:
    return [name for (name,) in store.connection.execute("SELECT name FROM projects WHERE id ORDER BY id")]


def commit(store: Store, *jobs: Job) -> list[Exception]:
    bugs: list[Exception] = []
    commit_group(store, jobs, bugs.append)
    return bugs


def test_all_writes_of_a_group_are_kept(store: Store):
    """Each job has its own reply."""
    jobs = [write("a"), write("b")]

    commit(store, *jobs)

    assert names(store) == ["a", "b"]
    assert [job.result().id for job in jobs] == ["a", "b"]
    assert not store.connection.in_transaction


def test_a_write_that_fails_takes_nobody_along(store: Store):
    """What it wrote is undone; the others are kept."""
    refused = PalimpError(ErrorCode.BAD_REQUEST, "no")
    jobs = [write("a"), write("b", error=refused), write("c")]

    assert commit(store, *jobs) == []

    assert names(store) == ["a", "c"]
    with pytest.raises(PalimpError, match="no"):
        jobs[1].result()


def test_a_bug_is_reported_and_answered(store: Store):
    """The caller gets a sentence, the log gets the exception, and the others go on."""
    bug = ZeroDivisionError("oops")
    jobs = [write("a", error=bug), write("b")]

    assert commit(store, *jobs) == [bug]

    assert names(store) == ["b"]
    with pytest.raises(PalimpError, match="ZeroDivisionError") as answered:
        jobs[0].result()
    assert answered.value.code is ErrorCode.INTERNAL


def test_a_request_is_applied_once(store: Store):
    """Sent again, in the same group or later, it gets the first reply."""
    jobs = [write("a", b"id-1"), write("a", b"id-1")]
    commit(store, *jobs)
    again = write("a", b"id-1")
    commit(store, again)

    assert names(store) == ["a"]
    assert [job.result().id for job in (*jobs, again)] == ["a", "a", "a"]


def test_a_request_that_failed_is_not_remembered(store: Store):
    """It may succeed the next time."""
    commit(store, write("a", b"id-1", PalimpError(ErrorCode.BUSY, "later")))
    again = write("a", b"id-1")
    commit(store, again)

    assert again.result().id == "a"


def test_writes_of_one_kind_are_done_together(store: Store):
    """In the order in which they came, between those of other kinds; each has its own reply, and is remembered."""
    jobs = [together("a", b"1"), together("b"), write("c"), together("d"), together("e", b"2"), together("f", b"3")]

    commit(store, *jobs)

    assert at_once(store) == {"a": 2, "b": 2, "c": 1, "d": 3, "e": 3, "f": 3}
    again = [together("e", b"2"), together("a", b"1")]
    commit(store, *again)
    assert [job.result().id for job in (*jobs, *again)] == ["a", "b", "c", "d", "e", "f", "e", "a"]
    assert len(names(store)) == 6


@pytest.mark.parametrize("error", [PalimpError(ErrorCode.BAD_REQUEST, "no"), ZeroDivisionError("no")])
def test_a_write_that_fails_among_others_takes_nobody_along(store: Store, error: Exception):
    """Then each is done by itself."""
    jobs = [together("a"), together("b", error=error), together("c")]

    bugs = commit(store, *jobs)

    assert at_once(store) == {"a": 1, "c": 1}
    assert bugs == [error] * (not isinstance(error, PalimpError))
    with pytest.raises(PalimpError, match=r"no|ZeroDivisionError"):
        jobs[1].result()


def test_a_request_that_comes_twice_among_others_is_applied_once(store: Store):
    """So is one that was applied before."""
    jobs = [together("a", b"id-1"), together("a", b"id-1"), together("b", b"id-2")]
    commit(store, *jobs)

    assert at_once(store) == {"a": 1, "b": 1}
    assert [job.result().id for job in jobs] == ["a", "a", "b"]


def test_a_full_disk_fails_writes_that_are_done_together(store: Store):
    """None of them is acknowledged."""
    jobs = [together("a", error=apsw.FullError("full")), together("b")]

    commit(store, *jobs)

    assert names(store) == []
    for job in jobs:
        with pytest.raises(PalimpError, match="disk is full"):
            job.result()


def test_a_full_disk_fails_the_group_and_acknowledges_nothing(store: Store):
    """Every caller is told, the database is as before, and writing works again when there is room."""
    pages = store.connection.execute("PRAGMA page_count").fetchall()[0][0]
    store.connection.execute(f"PRAGMA max_page_count = {pages}").fetchall()
    big = Job(
        lambda store: store.connection.execute(
            "INSERT INTO projects (root, name, created_at) VALUES ('big', ?, 1)", ("x" * 1_000_000,)
        ),
        is_write=True,
    )
    jobs = [write("a"), big]

    commit(store, *jobs)

    for job in jobs:
        with pytest.raises(PalimpError, match="disk is full") as refused:
            job.result()
        assert refused.value.code is ErrorCode.DISK_FULL
    assert names(store) == []
    store.connection.execute("PRAGMA max_page_count = 100000").fetchall()
    commit(store, write("b"))
    assert names(store) == ["b"]


def test_what_a_full_disk_took_back_is_not_remembered(store: Store):
    """A project row that was rolled back by SQLite itself is made again by the next save."""
    caller = Caller(ProjectRef("/p", "p"))
    pages = store.connection.execute("PRAGMA page_count").fetchall()[0][0]
    store.connection.execute(f"PRAGMA max_page_count = {pages}").fetchall()

    def work(store: Store) -> int:
        row = ensure_project(store, caller, 1)
        store.connection.execute("INSERT INTO requests (id, reply, created_at) VALUES (x'00', zeroblob(1000000), 1)")
        return row

    commit(store, Job(work, is_write=True))
    store.connection.execute("PRAGMA max_page_count = 100000").fetchall()
    again = Job(lambda store: ensure_project(store, caller, 1), is_write=True)
    commit(store, again)

    assert again.result() == store.connection.execute("SELECT id FROM projects WHERE root = '/p'").fetchall()[0][0]


def test_a_group_that_was_taken_back_is_not_counted(store: Store):
    """The mark beside the database says as many groups as there are in it."""
    commit(store, write("a"))
    store.connection.set_commit_hook(lambda: True)
    refused = write("b")
    commit(store, refused)
    store.connection.set_commit_hook(None)
    commit(store, write("c"))

    with pytest.raises(PalimpError, match=MAY_BE_DONE):
        refused.result()
    assert names(store) == ["a", "c"]
    ledger = read_ledger(store.connection)
    assert store.high_water_mark.read() == store.ledger == ledger
    assert ledger is not None
    assert ledger.commits == 2


def test_a_broken_constraint_takes_nobody_along(store: Store):
    """It is a bug of one handler; the other writes of the group are kept."""
    twice = write("a")
    jobs = [write("a"), twice, write("b")]

    assert [type(bug) for bug in commit(store, *jobs)] == [apsw.ConstraintError]

    assert names(store) == ["a", "b"]
    with pytest.raises(PalimpError, match="ConstraintError"):
        twice.result()


def test_a_failed_fsync_ends_the_process(store: Store):
    """After it nobody knows what the disk holds, so nothing more is answered from this connection."""
    error = apsw.IOError("disk I/O error")
    error.extendedresult = apsw.SQLITE_IOERR_FSYNC

    with pytest.raises(StoreLostError):
        commit(store, Job(_raising(error), is_write=True))


def _raising(error: Exception):
    def work(_: Store) -> None:
        raise error

    return work


def test_on_a_full_disk_what_makes_room_is_done_and_the_rest_is_refused(store: Store, monkeypatch):
    """The reserve is let go of for it; while it cannot be had again, nothing else is even tried."""
    room = [False]
    monkeypatch.setattr(type(store.ballast), "hold", lambda _: room[0])
    freed, refused = write("freed").allow_on_full_disk(), write("refused")

    commit(store, refused, freed)

    assert names(store) == ["freed"]
    assert freed.result().id == "freed"
    with pytest.raises(PalimpError, match="disk is full"):
        refused.result()
    room[0] = True
    commit(store, write("later"))
    assert names(store) == ["freed", "later"]


def test_a_purge_that_finds_the_disk_full_lets_go_of_the_reserve_and_is_tried_again(store: Store):
    """Once; a disk that is full all the same is said."""
    assert store.ballast.hold()
    tries: list[bool] = []

    def work(store: Store) -> Saved:
        tries.append(store.ballast.path.exists())
        if len(tries) == 1:
            raise apsw.FullError("database or disk is full")
        return Saved(id="x", title="x")

    job = Job(work, is_write=True, reply_type=Saved).allow_on_full_disk()
    commit(store, job)
    assert tries == [True, False]
    assert job.result().id == "x"


def test_a_write_that_is_sent_again_is_answered_as_before_also_where_its_own_effect_refuses_it(store: Store):
    """An edit that is sent again finds its memory replaced: by itself."""
    commit(store, write("a", b"r1"))

    def refuse(_: Store) -> Saved:
        raise PalimpError(ErrorCode.BAD_REQUEST, "It was replaced.")

    again = Job(refuse, is_write=True, now_ms=1, request_id=b"r1", reply_type=Saved)
    new = Job(refuse, is_write=True, now_ms=1, request_id=b"r2", reply_type=Saved)
    commit(store, again, new)

    assert again.result().id == "a"
    with pytest.raises(PalimpError):
        new.result()
