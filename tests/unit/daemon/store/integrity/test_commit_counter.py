"""The high-water mark: a database that lost what was acknowledged is not taken for the whole one."""

import shutil
from pathlib import Path

import pytest
from request_contexts import RequestContexts

from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.store.integrity.commit_counter import CommitCount, HighWaterMark, lost_writes
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.sqlite_connection import StoreDamagedError, leave
from palimp_daemon.store.store import Store
from palimp_daemon.store.worker.group_commit import Job, commit_group
from palimp_protocol.messages.memory_messages import SaveMemory

ONE, OTHER = b"1" * 16, b"2" * 16


def save(store: Store, count: int) -> None:
    """Save *count* memories, each in a group of its own, as the daemon does."""
    request_context = RequestContexts(store)
    for number in range(count):
        work = lambda _, number=number: save_memory(request_context(), SaveMemory(text=f"Fact {number} of many."))  # noqa: E731
        commit_group(store, [Job(work, is_write=True)], lambda error: None)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "palimp.db"


@pytest.mark.parametrize(
    ("ledger", "mark", "said"),
    [
        (CommitCount(ONE, 5), None, ""),
        (CommitCount(ONE, 5), CommitCount(ONE, 5), ""),
        (CommitCount(ONE, 6), CommitCount(ONE, 5), ""),
        (CommitCount(ONE, 4), CommitCount(ONE, 5), "lacks the last 1 of 5"),
        (CommitCount(OTHER, 9), CommitCount(ONE, 5), "another database"),
        (None, CommitCount(ONE, 5), "another database"),
    ],
)
def test_a_database_behind_its_mark_has_lost_something(ledger, mark, said: str):
    """One that is ahead has not: the mark is written after the disk has confirmed."""
    assert said in lost_writes(ledger, mark)
    assert bool(lost_writes(ledger, mark)) is bool(said)


def test_every_group_of_writes_moves_the_mark(path: Path):
    """And a refused one does not."""
    store = open_store(path, "auto")
    save(store, 3)
    assert HighWaterMark(path).read().commits == 3
    commit_group(store, [Job(lambda _: store.connection.execute("nonsense"), is_write=True)], lambda error: None)
    assert HighWaterMark(path).read().commits == 3
    store.connection.close()


@pytest.mark.parametrize("left", [0.0, 0.5, 0.9])
def test_a_log_that_is_gone_or_cut_is_noticed(path: Path, left: float):
    """SQLite opens what is left without a word."""
    store = open_store(path, "auto")
    save(store, 5)
    leave(store.connection)
    log = path.with_name("palimp.db-wal")
    kept = log.read_bytes()
    log.write_bytes(kept[: int(len(kept) * left)])
    with pytest.raises(StoreDamagedError, match=r"lacks the last|another database"):
        open_store(path, "auto")
    log.write_bytes(kept)
    open_store(path, "auto").connection.close()


def test_an_older_copy_an_empty_file_and_no_file_are_noticed(path: Path):
    """None of them silently becomes the database."""
    store = open_store(path, "auto")
    save(store, 1)
    store.connection.close()
    older = path.with_name("older.db")
    shutil.copy(path, older)
    store = open_store(path, "auto")
    save(store, 1)
    store.connection.close()

    shutil.copy(older, path)
    with pytest.raises(StoreDamagedError, match="lacks the last 1 of 2"):
        open_store(path, "auto")
    path.write_bytes(b"")
    with pytest.raises(StoreDamagedError, match="is empty"):
        open_store(path, "auto")
    assert path.read_bytes() == b""
    path.unlink()
    with pytest.raises(StoreDamagedError, match="is gone"):
        open_store(path, "auto")
    assert not path.exists()


@pytest.mark.parametrize("content", [b"", b"nonsense", b"\xff" * 54])
def test_a_mark_that_says_nothing_is_none(path: Path, content: bytes):
    """It is written anew."""
    store = open_store(path, "auto")
    save(store, 1)
    store.connection.close()
    mark = HighWaterMark(path)
    mark.path.write_bytes(content)
    assert mark.read() is None
    open_store(path, "auto").connection.close()
    assert mark.read().commits == 1
