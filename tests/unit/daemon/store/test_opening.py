"""Opening the conversations' store, which is begun anew where the memories' one would be refused."""

from pathlib import Path

import pytest

from palimp_daemon.runtime.sql import rows
from palimp_daemon.store.opening import open_conversations, put_aside_path, put_conversations_aside
from palimp_daemon.store.sqlite_connection import StoreUnavailableError
from palimp_daemon.store.tables.sessions.conversation_rows import keep_erased


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "conversations.db"


def erased_in(path: Path) -> list[str]:
    store = open_conversations(path, "auto")
    found = [each for (each,) in rows(store.connection, "SELECT id FROM erased_turns ORDER BY id")]
    store.connection.close()
    return found


def erase(path: Path, *ids: str) -> None:
    store = open_conversations(path, "auto")
    keep_erased(store, ids)
    store.connection.close()


@pytest.mark.parametrize("content", [b"no database at all", b"SQLite format 3\0" + b"\xa5" * 9000])
def test_a_damaged_one_is_put_aside_and_an_empty_one_takes_its_place(path: Path, content: bytes):
    path.write_bytes(content)
    assert erased_in(path) == []
    assert put_aside_path(path).read_bytes() == content


def test_what_was_erased_is_known_after_it_was_put_aside_whenever_it_is_opened_again(path: Path):
    """Also where the daemon was killed between the two."""
    erase(path, "t1", "t2")
    put_conversations_aside(path)
    assert not path.exists()
    assert erased_in(path) == ["t1", "t2"]
    assert erased_in(path) == ["t1", "t2"]


def test_an_id_that_is_no_text_any_more_hides_no_other(path: Path):
    store = open_conversations(path, "auto")
    keep_erased(store, ["t1", "t3"])
    store.connection.execute("INSERT INTO erased_turns VALUES (CAST(x'7432ff41' AS TEXT))")
    store.connection.close()
    put_conversations_aside(path)
    assert {"t1", "t3"} <= set(erased_in(path))


def test_its_log_goes_with_it(path: Path):
    path.write_bytes(b"database")
    path.with_name("conversations.db-wal").write_bytes(b"log")
    put_conversations_aside(path)
    assert sorted(each.name for each in path.parent.iterdir()) == ["conversations.damaged", "conversations.damaged-wal"]


def test_files_that_cannot_be_changed_are_said_and_end_nothing_else(path: Path):
    path.with_suffix(".mark").mkdir()
    with pytest.raises(StoreUnavailableError, match="cannot be opened"):
        open_conversations(path, "auto")
