"""What one memory does to another: who said so, what follows from it, and how it is taken back."""

import apsw
import pytest

from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.runtime.sql import rows, value
from palimp_daemon.store.integrity.checksums import register_sum
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.sqlite_connection import APPLICATION_ID, migrations
from palimp_daemon.store.tables import memory_links, memory_rows
from palimp_daemon.store.tables.memory_links import (
    NewLink,
    add,
    history_of,
    links_among,
    newest_versions,
    pointers_differing,
    qualifying_links,
    undo_link,
    would_circle,
)
from palimp_protocol.messages.memory_messages import SaveMemory

NOW_MS = 1_763_726_400_000


@pytest.fixture
def saved(store, request_context):
    """Four memories of a project, numbered 1 to 4."""
    for word in ("first", "second", "third", "fourth"):
        save_memory(request_context(), SaveMemory(text=f"The {word} decision about retries"))
    return store


def superseded(store) -> dict[int, int]:
    return dict(rows(store.connection, "SELECT seq, superseded_by FROM memories WHERE superseded_by IS NOT NULL"))


def test_what_was_replaced_points_to_what_took_its_place(saved):
    add(saved, NewLink(2, 1, "replaces", "user", "measured again"), NOW_MS)

    assert superseded(saved) == {1: 2}
    [link] = links_among(saved, [1])
    assert (link.newer, link.older, link.said_by, link.said, link.at) == (2, 1, "user", "measured again", NOW_MS)
    assert links_among(saved, [2]) == [link]
    assert links_among(saved, [3]) == []


@pytest.mark.parametrize(
    "link",
    [NewLink(2, 1, "narrows", "user"), NewLink(2, 1, "disagrees", "agent"), NewLink(2, 1, "replaces", "inferred")],
)
def test_what_narrows_disagrees_or_was_only_inferred_hides_nothing(saved, link):
    add(saved, link, NOW_MS)
    assert superseded(saved) == {}
    assert len(links_among(saved, [1])) == 1


def test_undoing_the_last_word_leaves_the_word_before_it(saved):
    add(saved, NewLink(2, 1, "replaces", "text"), NOW_MS)
    last = add(saved, NewLink(3, 1, "replaces", "user"), NOW_MS + 1)
    assert superseded(saved) == {1: 3}

    undo_link(saved, last, NOW_MS + 2)
    assert superseded(saved) == {1: 2}
    undo_link(saved, last, NOW_MS + 3)
    assert superseded(saved) == {1: 2}


def test_a_link_is_noted_once_and_by_who_counts_most(saved):
    inferred = add(saved, NewLink(2, 1, "replaces", "inferred"), NOW_MS)
    by_user = add(saved, NewLink(2, 1, "replaces", "user"), NOW_MS + 1)
    assert add(saved, NewLink(2, 1, "replaces", "agent"), NOW_MS + 2) == by_user != inferred

    assert [link.id for link in links_among(saved, [1])] == [by_user]
    assert superseded(saved) == {1: 2}


def test_a_history_is_all_versions_before_and_after_in_their_order(saved):
    add(saved, NewLink(2, 1, "replaces", "agent"), NOW_MS)
    add(saved, NewLink(3, 2, "replaces", "user"), NOW_MS)
    add(saved, NewLink(4, 3, "narrows", "user"), NOW_MS)

    assert [history_of(saved, seq).versions for seq in (1, 2, 3, 4)] == [[1, 2, 3], [1, 2, 3], [1, 2, 3], [4]]
    assert [link.relation for link in history_of(saved, 2).links] == ["replaces", "replaces", "narrows"]
    assert newest_versions(saved, [1, 2, 4]) == {1: 3, 2: 3, 4: 4}


def test_what_was_merged_with_others_into_one_has_no_history_of_those(saved):
    add(saved, NewLink(3, 1, "replaces", "compact"), NOW_MS)
    add(saved, NewLink(3, 2, "replaces", "compact"), NOW_MS)
    assert history_of(saved, 1).versions == [1, 3]
    assert history_of(saved, 3).versions == [1, 2, 3]


def test_a_version_that_was_saved_before_the_one_it_replaces_stands_behind_it(saved):
    add(saved, NewLink(1, 2, "replaces", "user"), NOW_MS)
    assert history_of(saved, 1).versions == [2, 1]


def test_a_circle_is_known_however_long_it_is(saved):
    add(saved, NewLink(2, 1, "replaces", "agent"), NOW_MS)
    link = add(saved, NewLink(3, 2, "replaces", "agent"), NOW_MS)

    assert would_circle(saved, 1, 3)
    assert would_circle(saved, 1, 1)
    assert not would_circle(saved, 3, 1)
    assert not would_circle(saved, 1, 3, "narrows")
    assert not would_circle(saved, 1, 3, "disagrees")
    undo_link(saved, link, NOW_MS)
    assert not would_circle(saved, 1, 3)


def test_what_a_deleted_memory_replaced_stands_for_itself_again(saved):
    add(saved, NewLink(2, 1, "replaces", "agent"), NOW_MS)
    add(saved, NewLink(3, 2, "replaces", "agent"), NOW_MS)
    memory_rows.erase(saved, 2, "m1xxxxxxx")

    assert superseded(saved) == {}
    assert links_among(saved, [1, 2, 3]) == []


def test_what_a_purged_memory_replaced_stands_again_until_it_is_restored(saved):
    add(saved, NewLink(2, 1, "replaces", "agent"), NOW_MS)
    memory_rows.set_purged(saved, 2, NOW_MS)
    assert superseded(saved) == {}

    memory_rows.set_purged(saved, 2, None)
    assert superseded(saved) == {1: 2}
    assert pointers_differing(saved) == []


def test_a_purged_version_in_the_middle_still_leads_to_what_replaced_it(saved):
    add(saved, NewLink(2, 1, "replaces", "agent"), NOW_MS)
    memory_rows.set_purged(saved, 2, NOW_MS)
    last = add(saved, NewLink(3, 2, "replaces", "user"), NOW_MS)
    assert superseded(saved) == {1: 2, 2: 3}
    assert newest_versions(saved, [1]) == {1: 3}

    undo_link(saved, last, NOW_MS)
    assert superseded(saved) == {}
    assert pointers_differing(saved) == []


def test_a_memory_is_not_hidden_by_one_of_another_project(saved, request_context):
    save_memory(request_context("/work/two"), SaveMemory(text="Elsewhere retries are five"))
    add(saved, NewLink(5, 1, "replaces", "user"), NOW_MS)
    assert superseded(saved) == {}
    assert pointers_differing(saved) == []


def test_a_pointer_that_no_link_gives_is_noticed(saved):
    saved.connection.execute("UPDATE memories SET superseded_by = 3 WHERE seq = 1")
    assert pointers_differing(saved) == [1]


def test_what_compactions_merged_before_there_were_links_is_linked_by_the_migration(tmp_path):
    path = tmp_path / "palimp.db"
    database = apsw.Connection(str(path))
    register_sum(database)
    for migration in migrations()[:15]:
        database.execute(migration.sql)
    database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    database.execute("PRAGMA user_version = 15")
    database.execute("INSERT INTO projects (id, root, name, created_at) VALUES (1, '/w', 'w', 0)")
    for seq, by in ((3, None), (2, 3), (1, 3)):
        database.execute(
            "INSERT INTO memories (seq, id, project_id, title, content, tags, kind, source, created_at, superseded_by)"
            " VALUES (?, ?, 1, 't', 'c', '', 'note', 'manual', ?, ?)",
            (seq, f"m1{seq}", seq * 10, by),
        )
    database.execute("INSERT INTO compactions (id, project_id, at) VALUES (7, 1, 99)")
    database.execute("INSERT INTO merged (compaction_id, seq, into_seq) VALUES (7, 1, 3)")
    database.close()

    store = open_store(path, "auto")
    links = links_among(store, [3])
    assert [(each.newer, each.older, each.said_by, each.at) for each in links] == [
        (3, 1, "compact", 99),
        (3, 2, "compact", 30),
    ]
    assert superseded(store) == {1: 3, 2: 3}
    assert pointers_differing(store) == []
    store.connection.close()


def test_only_what_holds_and_was_said_qualifies_a_memory(saved):
    """Not what replaces it, was inferred, was purged, or is of a project that is not asked for."""
    project = value(saved.connection, "SELECT project_id FROM memories WHERE seq = 1")
    add(saved, NewLink(2, 1, "narrows", "agent"), NOW_MS)
    add(saved, NewLink(3, 1, "disagrees", "inferred"), NOW_MS)
    add(saved, NewLink(4, 1, "disagrees", "user"), NOW_MS)

    assert [(link.newer, link.relation) for link in qualifying_links(saved, [1, 2], [project])] == [
        (2, "narrows"),
        (4, "disagrees"),
    ]
    assert qualifying_links(saved, [1], [project + 1]) == []
    assert qualifying_links(saved, [], [project]) == []
    memory_rows.set_purged(saved, 2, NOW_MS)
    add(saved, NewLink(3, 4, "replaces", "user"), NOW_MS)
    assert qualifying_links(saved, [1], [project]) == []


def test_a_circle_is_seen_however_long_the_way(saved, monkeypatch):
    monkeypatch.setattr(memory_links, "VERSIONS_MAX", 2)
    for newer in (2, 3, 4):
        add(saved, NewLink(newer, newer - 1, "replaces", "user"), NOW_MS)
    assert would_circle(saved, 1, 4)
    assert not would_circle(saved, 4, 1)
