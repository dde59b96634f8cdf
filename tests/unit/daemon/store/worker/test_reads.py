"""A read is answered, refused, or stopped; whatever becomes of it, the connection can be used afterwards."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from new_stores import new_store

from palimp_daemon.store.store import Store
from palimp_daemon.store.worker.group_commit import FEWER_WORDS, Job
from palimp_daemon.store.worker.reads import run_read
from palimp_protocol.errors import ErrorCode, PalimpError

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


@pytest.fixture
def store(tmp_path: Path):
    """An open store."""
    opened = new_store(tmp_path / "palimp.db")
    yield opened
    opened.connection.close()


def reading(work: Callable[[Store], Any], deadline_s: float = 0.0) -> Job:
    """Return the job of a read."""
    return Job(work, is_write=False, deadline_s=deadline_s)


def endlessly(store: Store) -> object:
    """Read what has no end."""
    return store.connection.execute(ENDLESS).fetchall()


def answers_again(store: Store) -> bool:
    """Tell whether the next read of *store* is answered, and is not interrupted."""
    job = reading(lambda store: store.connection.execute("SELECT 'да'").fetchall())
    run_read(store, job, lambda _: None)
    return job.result() == [("да",)]


def test_a_read_that_takes_too_long_is_stopped(store: Store):
    """The caller is told, and the connection can be used again."""
    job = reading(endlessly, deadline_s=0.05)
    run_read(store, job, lambda _: None)

    with pytest.raises(PalimpError, match="longer than") as stopped:
        job.result()
    assert stopped.value.code is ErrorCode.DEADLINE
    assert not stopped.value.hint
    assert answers_again(store)


def test_the_job_says_what_the_caller_of_a_late_read_can_do(store: Store):
    """Fewer words help a search; they would not help who asks for a list."""
    job = reading(endlessly, deadline_s=0.05).hinting(FEWER_WORDS)
    run_read(store, job, lambda _: None)

    with pytest.raises(PalimpError, match="The request took longer") as stopped:
        job.result()
    assert stopped.value.hint == FEWER_WORDS


def test_a_read_whose_caller_left_is_stopped(store: Store):
    """Nobody waits for it."""
    job = reading(endlessly)
    job.abandon()
    run_read(store, job, lambda _: None)

    with pytest.raises(PalimpError):
        job.result()
    assert answers_again(store)


def test_a_bug_in_a_read_is_reported_and_answered(store: Store):
    """The caller learns of which kind it is, the log all of it."""
    job, reported = reading(lambda _: 1 // 0), list[Exception]()
    run_read(store, job, reported.append)

    with pytest.raises(PalimpError, match="ZeroDivisionError") as answered:
        job.result()
    assert answered.value.code is ErrorCode.INTERNAL
    assert [type(bug) for bug in reported] == [ZeroDivisionError]


def test_what_sqlite_refuses_is_said_to_the_caller(store: Store):
    """And a store is not called damaged for it."""
    job = reading(lambda store: store.connection.execute("SELECT json('{')").fetchall())
    run_read(store, job, lambda _: None)

    with pytest.raises(PalimpError) as answered:
        job.result()
    assert answered.value.code is ErrorCode.STORE_UNAVAILABLE
    assert store.damage is None
