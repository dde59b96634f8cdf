"""What was done before acts were recorded: listed, and taken back by its name, but never by `undo` alone."""

from pathlib import Path

import apsw
import pytest
from request_contexts import RequestContexts

from palimp_daemon.features.memories.acts_list import list_acts
from palimp_daemon.features.memories.undoing import undo
from palimp_daemon.runtime.sql import rows
from palimp_daemon.store.integrity.checksums import register_sum
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.sqlite_connection import APPLICATION_ID, migrations
from palimp_daemon.store.tables.memory_links import pointers_differing
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.act_messages import Acts, Undo


@pytest.fixture
def contexts(tmp_path: Path):
    """Makes contexts in a database of the twentieth schema: links of all kinds, an edit and a compaction."""
    path = tmp_path / "palimp.db"
    database = apsw.Connection(str(path))
    register_sum(database)
    for migration in migrations()[:20]:
        database.execute(migration.sql)
    database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    database.execute("PRAGMA user_version = 20")
    database.execute("INSERT INTO projects (id, root, name, created_at) VALUES (1, '/w', 'w', 0)")
    for seq, by in enumerate((2, None, None, 5, None, 8, 8, None), 1):
        database.execute(
            "INSERT INTO memories (seq, id, project_id, title, content, tags, kind, source, created_at, superseded_by)"
            " VALUES (?, ?, 1, ?, ?, '', 'note', 'manual', ?, ?)",
            (seq, f"m0000000{seq}aaa", f"Title {seq}", f"Text {seq}", seq * 10, by),
        )
    links = [
        (2, 1, "replaces", "user", 25, 0, None),
        (3, 1, "replaces", "inferred", 30, 0, None),
        (5, 4, "replaces", "user", 50, 1, None),
        (8, 6, "replaces", "compact", 90, 0, None),
        (8, 7, "replaces", "compact", 90, 0, None),
        (3, 2, "narrows", "agent", 95, 0, 96),
    ]
    for link in links:
        database.execute(
            "INSERT INTO memory_links (newer, older, relation, said_by, at, is_edit, undone_at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            link,
        )
    database.execute("INSERT INTO compactions (id, project_id, at) VALUES (3, 1, 90)")
    database.execute("INSERT INTO merged (compaction_id, seq, into_seq) VALUES (3, 6, 8), (3, 7, 8)")
    database.close()
    store = open_store(path, "fts5")
    contexts = RequestContexts(store)
    yield lambda: contexts("/w", None)
    store.connection.close()


def standing(context) -> list[int]:
    found = rows(
        context.store.connection,
        "SELECT seq FROM memories WHERE superseded_by IS NULL AND deleted_at IS NULL ORDER BY seq",
    )
    return [seq for (seq,) in found]


def test_it_is_listed_in_order_and_taken_back_by_name(contexts):
    acts = list_acts(contexts(), Acts()).acts
    assert [(act.kind, act.author, act.at, act.total) for act in acts] == [
        ("compact", "unknown", 90, 2),
        ("edit", "unknown", 50, 1),
        ("supersede", "unknown", 25, 1),
    ]
    assert standing(contexts()) == [2, 3, 5, 8]

    for act in acts:
        undo(contexts(), Undo(id=act.name))
    assert standing(contexts()) == [1, 2, 3, 4, 6, 7, 8]
    assert pointers_differing(contexts().store) == []


def test_undo_alone_takes_nothing_of_it_back(contexts):
    with pytest.raises(PalimpError) as refused:
        undo(contexts(), Undo())
    assert refused.value.code is ErrorCode.NOT_FOUND
    assert "palimp undo --list" in refused.value.hint
    assert standing(contexts()) == [2, 3, 5, 8]


def test_a_link_is_taken_back_by_the_name_that_was_printed_for_it(contexts):
    assert undo(contexts(), Undo(id="link1")).act.kind == "supersede"
    assert standing(contexts()) == [1, 2, 3, 5, 8]
