"""What is known of a former folder and of the present one becomes one project; nothing of it is lost or doubled."""

import pytest

from palimp_daemon.codediff.diff import Hunk, without_moves
from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.runtime.sql import rows, value
from palimp_daemon.store.checks.verify import examine
from palimp_daemon.store.store import ensure_project, ensure_session
from palimp_daemon.store.tables.project_merge import delete_left, join
from palimp_daemon.store.tables.project_rows import known_projects, left_projects, project_at
from palimp_daemon.store.tables.removed_code.change_rows import Change, forget_hunks, insert_change
from palimp_daemon.store.tables.removed_code.reintroduced import returning
from palimp_protocol.messages.caller import ProjectRef
from palimp_protocol.messages.memory_messages import Recall, SaveMemory

FORMER, PRESENT = "/work/former", "/work/present"
WRITING = (
    "def write_ledger(rows):",
    "    for row in rows:",
    "        book.append(row.amount, row.currency)",
    "    book.close()",
)
READING = (
    "def read_ledger(path):",
    "    entries = parse(path.read_text())",
    "    check_sums(entries, strict=True)",
    "    return entries",
)


def took_out(request_context, lines: tuple[str, ...], path: str, session: int | None, commit: str = "") -> None:
    """Record that a commit, or a session, took *lines* out in the project of *request_context*."""
    project = ensure_project(request_context.store, request_context.caller, request_context.now_ms)
    change = Change("It was slow.", request_context.now_ms, commit=commit, session_id=session)
    insert_change(request_context.store, project, change, without_moves([Hunk(path, 1, lines, ())]))


def joined(store) -> None:
    """Join PRESENT to FORMER, as `ProjectMoves.adopt` does."""
    former = project_at(store, FORMER)
    assert former is not None
    join(store, former.id, ProjectRef(PRESENT, "present"))
    for left in left_projects(store):
        while forget_hunks(store, left, 2**53, 0, 1):
            pass
        delete_left(store, left)


@pytest.fixture
def moved(store, request_context):
    """A store in which a session worked in FORMER, went on in PRESENT, and both have read the same commit."""
    for folder, lines in ((FORMER, WRITING), (PRESENT, READING)):
        here = request_context(folder, "both")
        save_memory(here, SaveMemory(text=f"Known of {folder}."))
        session = ensure_session(store, here.caller, ensure_project(store, here.caller, 0), 0)
        took_out(here, lines, "ledger.py", session)
        took_out(here, ("import slow", "slow.call(everything)", "slow.stop(now)"), "slow.py", None, commit="c" * 40)
    save_memory(request_context(PRESENT, "new"), SaveMemory(text="Of a session of its own."))
    return store


def test_memories_of_both_are_found_at_the_present_folder_only(moved, request_context):
    joined(moved)
    found = recall(request_context(PRESENT), Recall(detail="full")).memories
    assert {each.content for each in found} == {
        f"Known of {FORMER}.", f"Known of {PRESENT}.", "Of a session of its own.",
    }  # fmt: skip
    assert recall(request_context(FORMER), Recall()).total == 0
    assert not examine(moved), "sums are of the project, too"


def test_a_session_that_worked_in_both_is_one(moved):
    joined(moved)
    assert rows(moved.connection, "SELECT key FROM sessions ORDER BY key") == [("both",), ("new",)]
    told = "SELECT count(*) FROM memories m JOIN sessions s ON s.id = m.session_id AND s.project_id = m.project_id"
    assert value(moved.connection, told) == 3
    assert rows(moved.connection, "PRAGMA foreign_key_check") == []


def test_what_sessions_took_out_is_watched_for_and_a_commit_counts_once(moved):
    joined(moved)
    project = project_at(moved, PRESENT)
    assert (project.memories, project.removed, project.sessions) == (3, 3, 2)
    for lines in (WRITING, READING):
        assert [each.level for each in returning(moved, project.id, "other.py", lines)] == ["warn"]
    hunks = "SELECT count(*) FROM hunks h JOIN changes c ON c.id = h.change_id JOIN paths p ON p.id = h.path_id"
    assert value(moved.connection, f"{hunks} WHERE p.project_id != c.project_id") == 0


def test_nothing_is_left_of_the_other_row(moved):
    """Nor do its fingerprints stay, which would be its number's when that is given out again."""
    before = value(moved.connection, "SELECT count(*) FROM fingerprints")
    joined(moved)
    assert [(each.root, each.name) for each in known_projects(moved, 9)[0]] == [(PRESENT, "present")]
    assert value(moved.connection, "SELECT count(*) FROM projects") == 2, "with the global one"
    assert value(moved.connection, "SELECT count(*) FROM paths") == 2
    known = value(moved.connection, "SELECT count(DISTINCT hunk_id) FROM fingerprints")
    assert (known, before > value(moved.connection, "SELECT count(*) FROM fingerprints")) == (3, True)


def test_a_project_that_is_being_deleted_is_not_listed(moved):
    """Its deletion may be cut off; it goes on with the next that is adopted."""
    join(moved, project_at(moved, FORMER).id, ProjectRef(PRESENT, "present"))
    assert known_projects(moved, 9)[1] == 1
    assert len(left_projects(moved)) == 1


def test_versions_of_documents_go_along(moved):
    """Of the folder, and of the trees in it; not of one whose name begins alike."""
    for tree in (FORMER, f"{FORMER}/wt", f"{FORMER}-not"):
        moved.connection.execute(
            "INSERT INTO doc_versions (tree, slug, title, done, at, length, packed)"
            " VALUES (?, 'a', 'A', 'edit', 1, 1, x'00')",
            (tree,),
        )
    joined(moved)
    trees = rows(moved.connection, "SELECT tree FROM doc_versions ORDER BY id")
    assert trees == [(PRESENT,), (f"{PRESENT}/wt",), (f"{FORMER}-not",)]


def test_a_folder_that_nothing_was_done_in_since_needs_no_other_row(store, request_context):
    save_memory(request_context(FORMER), SaveMemory(text="Known."))
    joined(store)
    assert recall(request_context(PRESENT), Recall()).total == 1
    assert recall(request_context(FORMER), Recall()).total == 0
    assert left_projects(store) == []
