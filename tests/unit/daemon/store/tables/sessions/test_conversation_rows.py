"""The tables of conversations: stored once, erased for good, the oldest go first; a damaged file is put aside."""

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lanes import ENGINES, examples
from new_stores import new_conversations
from request_contexts import NOON_MS

from palimp_clients.transcripts.turn import Turn, turn_text
from palimp_daemon.runtime.sql import rows, value
from palimp_daemon.search.fts5 import SEGMENTS_MERGED
from palimp_daemon.store.opening import open_conversations
from palimp_daemon.store.store import Store, ensure_project, ensure_session
from palimp_daemon.store.tables import memory_rows
from palimp_daemon.store.tables.sessions import conversation_rows as table
from palimp_daemon.store.tables.sessions.conversation_rows import FileRead, StoredCommit
from palimp_daemon.text.redact import Redactor
from palimp_protocol.messages.caller import Caller, ProjectRef, SessionRef

DAY_MS = 86_400_000
LONG_AGO_MS = 1_100_000_000_000
"""2004-11-09, when git was not there yet."""

FILE = FileRead("/home/a/one.jsonl", "claude-code", "s1", "/work/one", 100, "head", 200, NOON_MS)


@pytest.fixture(params=ENGINES)
def store(request, tmp_path: Path):
    """An open store of conversations, once on each full-text engine."""
    opened = new_conversations(tmp_path / "conversations.db", request.param)
    yield opened
    opened.connection.close()


def keep(store: Store, turns: Sequence[Turn], session: str = "s1", project: str = "/work/one") -> int:
    """Store *turns* of a session, and return how many were new."""
    caller = Caller(ProjectRef(project, "p"), SessionRef(session, "claude-code"))
    row = ensure_project(store, caller, NOON_MS)
    session_row = ensure_session(store, caller, row, NOON_MS)
    assert session_row is not None
    return table.keep_turns(store, row, session_row, session, turns)


def said(*texts: str, at_ms: int = NOON_MS) -> list[Turn]:
    """Return turns of the user and the agent by turns, a minute from one to the next."""
    return [
        Turn("assistant" if place % 2 else "user", text, at_ms + place * 60_000) for place, text in enumerate(texts)
    ]


def commits(*subjects: str, at_ms: int = NOON_MS) -> list[StoredCommit]:
    return [
        StoredCommit(f"{place + 1:040x}", at_ms + place * 60_000, subject, "Ada")
        for place, subject in enumerate(subjects)
    ]


def keep_commits(store: Store, kept: Sequence[StoredCommit]) -> int:
    return table.keep_commits(store, project_of(store), kept)


def project_of(store: Store, root: str = "/work/one") -> int:
    return ensure_project(store, Caller(ProjectRef(root, "p")), NOON_MS)


def texts(store: Store) -> list[str]:
    """Return what is stored, in its order."""
    return [text for (text,) in rows(store.connection, "SELECT content FROM memories ORDER BY seq")]


def numbered(store: Store, text: str) -> memory_rows.Row:
    """Return the row that says *text*."""
    [(seq,)] = rows(store.connection, "SELECT seq FROM memories WHERE content = ?", (text,))
    return memory_rows.rows_by_seq(store, [seq])[0]


def erase(store: Store, text: str) -> None:
    row = numbered(store, text)
    memory_rows.erase(store, row.seq, memory_rows.shown_id(row))


# --- stored once ---------------------------------------------------------------------------------


def test_turns_are_stored_in_their_order_with_who_said_them_and_when(store: Store):
    assert keep(store, said("Why is it slow?", "The index is missing.")) == 2
    found = rows(store.connection, "SELECT kind, source, content, created_at FROM memories ORDER BY seq")
    assert found == [
        ("conversation", "user", "Why is it slow?", NOON_MS),
        ("conversation", "assistant", "The index is missing.", NOON_MS + 60_000),
    ]


def test_the_same_turns_again_change_nothing(store: Store):
    keep(store, said("one", "two"))
    assert keep(store, said("one", "two")) == 0
    assert texts(store) == ["one", "two"]


def test_the_same_words_at_another_time_or_by_another_speaker_are_another_turn(store: Store):
    assert keep(store, [Turn("user", "yes", NOON_MS), Turn("assistant", "yes", NOON_MS)]) == 2
    assert keep(store, [Turn("user", "yes", NOON_MS + 1)]) == 1


def test_what_a_forked_session_was_copied_from_is_stored_once_and_stays_erased(store: Store):
    """A client writes the turns, with their times, into the file of the new session."""
    keep(store, said("one", "the secret"), "a")
    erase(store, "the secret")
    assert keep(store, said("one", "the secret", "three"), "b") == 1
    assert texts(store) == ["one", "three"]


def test_turns_without_a_time_are_those_of_their_session(store: Store):
    assert keep(store, [Turn("user", "go on", 0)], "a") == 1
    assert keep(store, [Turn("user", "go on", 0)], "b") == 1


WORDS = st.text(min_size=1, max_size=40).map(lambda text: turn_text(text, Redactor())).filter(bool)
"""Texts of all scripts, as a turn has them."""

TURNS = st.lists(
    st.tuples(st.sampled_from(["user", "assistant"]), WORDS, st.integers(0, NOON_MS * 2)).map(lambda said: Turn(*said)),
    min_size=1,
    max_size=12,
)


@settings(max_examples=examples(60))
@given(TURNS, st.data())
def test_turns_that_are_read_again_in_any_slices_and_order_are_stored_once(turns: list[Turn], data: st.DataObject):
    folder = Path(tempfile.mkdtemp(prefix="palimp-"))
    store = new_conversations(folder / "conversations.db")
    try:
        new = 0
        for _ in range(3):
            again = data.draw(st.permutations(turns))
            cut = data.draw(st.integers(0, len(again)))
            new += keep(store, again[:cut])
        new += keep(store, turns)
        assert new == len(set(turns))
        assert sorted(texts(store)) == sorted(turn.text for turn in set(turns))
        assert keep(store, turns) == 0
    finally:
        store.connection.close()
        shutil.rmtree(folder)


@pytest.mark.parametrize("text", ["a\0b", "\x1b[2J", "ไม่มีช่องว่าง", "מימין", "𝒳" * 3, "\u202e"])
def test_odd_texts_are_stored_as_a_turn_has_them(store: Store, text: str):
    told = turn_text(text, Redactor())
    assert keep(store, [Turn("user", told, 0)]) == 1
    assert texts(store) == [told]
    assert keep(store, [Turn("user", told, 0)]) == 0


def test_no_two_commits_are_taken_for_one_however_old_they_are(store: Store):
    """A repository of decades has tens of thousands of them from before the first second that ids tell."""
    count = 12_000
    many = [
        StoredCommit(f"{place:040x}", LONG_AGO_MS + place * 1000, f"Change {place}", "Ada") for place in range(count)
    ]
    assert sum(keep_commits(store, many[at : at + 500]) for at in range(0, count, 500)) == count


# --- commits -------------------------------------------------------------------------------------


def test_commits_are_known_by_their_hashes(store: Store):
    assert keep_commits(store, commits("Drop redis", "Add sqlite")) == 2
    assert keep_commits(store, commits("Drop redis", "Add sqlite", "Third")) == 1
    assert table.known_commits(store, project_of(store)) == {f"{n:040x}" for n in (1, 2, 3)}
    assert table.known_commits(store, project_of(store, "/work/two")) == set()


def test_a_commit_of_two_projects_is_in_both(store: Store):
    """As of a repository and its fork: known in one, it would be read in the other again and again."""
    for root in ("/work/one", "/work/two"):
        project = project_of(store, root)
        assert table.keep_commits(store, project, commits("Drop redis")) == 1
        assert table.known_commits(store, project) == {f"{1:040x}"}


def test_a_commit_that_is_in_the_history_no_more_may_come_back(store: Store):
    keep_commits(store, commits("Drop redis", "Add sqlite"))
    assert table.forget_commits(store, project_of(store), [f"{1:040x}", f"{9:040x}"]) == 1
    assert texts(store) == ["Add sqlite"]
    assert table.known_commits(store, project_of(store)) == {f"{2:040x}"}
    assert keep_commits(store, commits("Drop redis")) == 1


def test_a_commit_that_was_erased_does_not_come_back(store: Store):
    keep_commits(store, commits("The password is hunter2"))
    erase(store, "The password is hunter2")
    assert keep_commits(store, commits("The password is hunter2")) == 0
    table.forget_commits(store, project_of(store), [f"{1:040x}"])
    assert keep_commits(store, commits("The password is hunter2")) == 0


# --- around, erased ------------------------------------------------------------------------------


def test_a_turn_is_told_with_the_ones_before_and_after_it(store: Store):
    keep(store, said("one", "two", "three", "four"))
    around = table.turns_around(store, numbered(store, "two"))
    assert [(role, text) for _, role, text in around] == [("user", "one"), ("assistant", "two"), ("user", "three")]
    assert [text for _, _, text in table.turns_around(store, numbered(store, "four"))] == ["three", "four"]


def test_sessions_that_go_on_at_once_do_not_come_between_turns(store: Store):
    """Each is read on when its client says that something happened."""
    keep(store, said("a one", "a two"), "a")
    keep(store, said("b one", "b two"), "b")
    keep(store, said("a three", at_ms=NOON_MS + 120_000), "a")
    keep(store, said("b three", at_ms=NOON_MS + 120_000), "b")
    assert [text for *_, text in table.turns_around(store, numbered(store, "a two"))] == ["a one", "a two", "a three"]
    assert [text for *_, text in table.turns_around(store, numbered(store, "b three"))] == ["b two", "b three"]


def test_a_commit_has_nothing_around_it(store: Store):
    keep_commits(store, commits("one", "two", "three"))
    assert table.turns_around(store, numbered(store, "two")) == []


def test_an_erased_turn_does_not_come_back(store: Store):
    keep(store, said("one", "the secret", "three"))
    erase(store, "the secret")
    assert keep(store, said("one", "the secret", "three")) == 0
    assert texts(store) == ["one", "three"]


def test_rows_to_erase_are_of_a_session_of_a_text_or_of_all_the_project(store: Store):
    keep(store, said("alpha one", "beta"), "a")
    keep(store, said("alpha two"), "b")
    keep(store, said("alpha elsewhere"), "a", "/work/two")
    keep_commits(store, commits("alpha commit"))
    project = project_of(store)

    def meant(session: str = "", containing: str = "", limit: int = 100) -> list[str]:
        found = table.rows_to_erase(store, project, session, containing, limit)
        return sorted(row.content for row in memory_rows.rows_by_seq(store, found))

    assert meant(session="a") == ["alpha elsewhere", "alpha one", "beta"]
    assert meant(containing="alpha") == ["alpha commit", "alpha one", "alpha two"]
    assert meant() == ["alpha commit", "alpha one", "alpha two", "beta"]
    assert meant(containing="ALPHA") == []
    assert meant(containing="%") == []
    assert len(meant(limit=2)) == 2


# --- files and facts -----------------------------------------------------------------------------


def test_how_far_a_file_was_read_is_remembered(store: Store):
    assert table.file_of(store, FILE.path) is None
    table.note_file(store, FILE)
    table.note_file(store, FILE._replace(read_to=150))
    assert table.file_of(store, FILE.path) == FILE._replace(read_to=150)
    assert table.files_read(store) == [FILE._replace(read_to=150)]


def test_files_of_which_something_could_not_be_read_are_told_the_largest_first(store: Store):
    table.note_file(store, FILE)
    table.note_file(store, FILE._replace(path="/small", why="It is torn.", size=1))
    table.note_file(store, FILE._replace(path="/large", skipped=3, size=9))
    assert [file.path for file in table.files_unread(store, 10)] == ["/large", "/small"]
    assert [file.path for file in table.files_unread(store, 1)] == ["/large"]


def test_a_fact_is_what_was_noted_last(store: Store):
    assert table.fact(store, "wanted") == ""
    for fact in ("yes", ""):
        table.note_fact(store, "wanted", fact)
        assert table.fact(store, "wanted") == fact


def test_the_extent_counts_turns_commits_sessions_and_files(store: Store):
    keep(store, said("one", "two"), "a")
    keep(store, said("three"), "b")
    keep_commits(store, commits("four"))
    table.note_file(store, FILE)
    table.note_file(store, FILE._replace(path="/two", client="codex"))
    extent = table.extent(store)
    assert extent[:4] == (3, 1, 2, 2)
    assert extent.files_of == [("claude-code", 1), ("codex", 1)]
    assert extent.size == table.size_of(store) > 0


# --- old and much --------------------------------------------------------------------------------


def test_turns_that_are_too_old_are_deleted_and_commits_are_not(store: Store):
    keep(store, said("old", at_ms=NOON_MS - 3 * DAY_MS))
    keep(store, said("new"))
    keep_commits(store, commits("an old commit", at_ms=LONG_AGO_MS))
    assert table.delete_oldest(store, NOON_MS - DAY_MS, 10**9) == 1
    assert table.delete_oldest(store, NOON_MS - DAY_MS, 10**9) == 0
    assert texts(store) == ["new", "an old commit"]


def test_what_is_old_is_found_without_reading_what_was_said(store: Store):
    """It may be gigabytes."""
    told: list[str] = []

    def trace(cursor: object, statement: str, _: object) -> bool:
        told.append(statement)
        return True

    store.connection.exec_trace = trace
    table.delete_oldest(store, NOON_MS, 0)
    store.connection.exec_trace = None
    looked = [each for each in told if each.startswith("SELECT seq")]
    assert len(looked) == 2
    for statement in looked:
        values = ("conversation", NOON_MS, 1)[-statement.count("?") :]
        plan = rows(store.connection, f"EXPLAIN QUERY PLAN {statement}", values)
        assert all("COVERING INDEX" in step[3] for step in plan), plan


def test_without_a_day_nothing_is_too_old(store: Store):
    keep(store, [Turn("user", "of no time", 0)])
    assert table.delete_oldest(store, 0, 10**9) == 0


def test_where_there_is_too_much_the_oldest_go_first(store: Store, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(table, "ROWS_DELETED_MAX", 10)
    long = [Turn("user", f"{n} " + f"word{n} " * 500, NOON_MS - n * 60_000) for n in range(100)]
    keep(store, long)
    much = table.size_of(store)
    deleted = 0
    while more := table.delete_oldest(store, 0, much * 2 // 3):
        deleted += more
    assert 10 <= deleted < 100
    assert table.size_of(store) <= much * 2 // 3
    assert [text.split()[0] for text in texts(store)] == [str(n) for n in range(100 - deleted)]


def test_what_went_for_its_age_is_not_remembered_as_erased(store: Store):
    keep(store, said("old", at_ms=NOON_MS - 3 * DAY_MS))
    table.delete_oldest(store, NOON_MS, 10**9)
    assert keep(store, said("old", at_ms=NOON_MS - 3 * DAY_MS)) == 1


# --- the index -----------------------------------------------------------------------------------


def test_the_index_is_merged_a_little_with_each_write_and_never_much_at_once(tmp_path: Path):
    """FTS5 by itself merges much with some of the writes, for which everybody waits who asks meanwhile."""
    store = open_conversations(tmp_path / "conversations.db", "fts5")
    try:
        assert value(store.connection, "SELECT v FROM memories_fts_config WHERE k = 'automerge'") == 0
        for number in range(2 * SEGMENTS_MERGED):
            keep(store, said(f"größe {number}", at_ms=NOON_MS + number))
        segments = value(store.connection, "SELECT count(DISTINCT segid) FROM memories_fts_idx")
        assert segments <= SEGMENTS_MERGED
        assert len(texts(store)) == 2 * SEGMENTS_MERGED
    finally:
        store.connection.close()


# --- damage --------------------------------------------------------------------------------------


def test_a_damaged_store_is_put_aside_and_an_empty_one_takes_its_place(tmp_path: Path):
    path = tmp_path / "conversations.db"
    store = open_conversations(path, "auto")
    keep(store, said("one"))
    store.connection.close()
    path.write_bytes(b"no database" * 1000)

    told: list[str] = []
    again = open_conversations(path, "auto", lambda event, **_: told.append(event))
    try:
        assert "conversations_put_aside" in told
        assert texts(again) == []
        assert keep(again, said("one")) == 1
        assert path.with_suffix(".damaged").read_bytes().startswith(b"no database")
    finally:
        again.connection.close()


def test_what_was_erased_stays_erased_when_the_store_is_put_aside(tmp_path: Path):
    """Its client's file still has it."""
    path = tmp_path / "conversations.db"
    store = open_conversations(path, "auto")
    keep(store, said("one", "two"))
    erase(store, "two")
    store.connection.execute("UPDATE memories SET content = content")  # makes no sense of the sums
    store.connection.execute("UPDATE sums SET sum = sum + 1")
    store.connection.close()

    told: list[str] = []
    again = open_conversations(path, "auto", lambda event, **_: told.append(event))
    try:
        assert "conversations_put_aside" in told
        assert keep(again, said("one", "two")) == 1
        assert texts(again) == ["one"]
    finally:
        again.connection.close()


def test_what_is_stored_is_there_when_it_is_opened_again(tmp_path: Path):
    path = tmp_path / "conversations.db"
    store = open_conversations(path, "auto")
    keep(store, said("one", "two"))
    erase(store, "two")
    store.connection.close()
    again = open_conversations(path, "auto")
    try:
        assert texts(again) == ["one"]
        assert keep(again, said("one", "two")) == 0
    finally:
        again.connection.close()
