"""What the store keeps of changes, and what it finds again."""

import pytest

from palimp_daemon.codediff.diff import Hunk, without_moves
from palimp_daemon.codediff.fingerprint import kept_features, posting_hash
from palimp_daemon.runtime.sql import rows, value
from palimp_daemon.store.store import ensure_project, ensure_session
from palimp_daemon.store.tables.removed_code import change_rows, hunk_index, hunks, pending, reintroduced
from palimp_daemon.store.tables.removed_code.change_rows import Change
from palimp_daemon.store.tables.removed_code.hunk_search import find_hunks
from palimp_protocol.messages.caller import Caller, ProjectRef, SessionRef

pytestmark = pytest.mark.both_engines

RETRY = (
    "def retry_with_backoff(call, attempts=5):",
    "    delay = 0.1",
    "    for attempt in range(attempts):",
    "        try:",
    "            return call()",
    "        except ConnectionError:",
    "            time.sleep(delay)",
    '    raise TimeoutError("gave up after retries")',
)
PARSE = ("def parseHeader(line):", '    name, _, value = line.partition(":")', "    return name.strip(), value.strip()")
CALLER = Caller(ProjectRef("/work/one", "one"), SessionRef("s1"))


@pytest.fixture
def project(store) -> int:
    return ensure_project(store, CALLER, 0)


@pytest.fixture
def session(store, project) -> int:
    row = ensure_session(store, CALLER, project, 0)
    assert row is not None
    return row


def removed(store, project: int, lines=RETRY, *, path="a.py", at=1000, reason="It hid outages.", **more) -> int:
    """Store a hunk that took *lines* out; return its number."""
    hunk = Hunk(path, 3, tuple(lines), ())
    change_rows.insert_change(store, project, Change(reason, at, **more), without_moves([hunk]))
    return value(store.connection, "SELECT max(id) FROM hunks")


def found(store, project: int, lines=RETRY, path="a.py") -> list[int]:
    return [each.hunk.id for each in reintroduced.returning(store, project, path, lines) if each.level == "warn"]


def test_code_that_was_removed_is_found_with_its_reason(store, project):
    number = removed(store, project, commit="abc123")
    [hit] = reintroduced.returning(store, project, "a.py", RETRY)
    assert (hit.hunk.id, hit.hunk.path, hit.hunk.reason, hit.hunk.commit) == (
        number,
        "a.py",
        "It hid outages.",
        "abc123",
    )
    assert hit.evidence.of_old == hit.evidence.of_new == 1
    assert "            time.sleep(delay)" in hit.same_lines


def test_a_hunk_that_is_alone_has_no_score(store, project):
    """Words that all hunks have say nothing of which is better; zero would say that it does not fit."""
    number = removed(store, project)
    assert [(hunk.id, score) for hunk, score in find_hunks(store, project, "backoff", 5).best] == [(number, None)]


def test_another_projects_removed_code_is_not_found(store, project):
    removed(store, project)
    other = ensure_project(store, Caller(ProjectRef("/work/two", "two")), 0)
    assert found(store, other) == []
    assert find_hunks(store, other, "retry backoff", 5).best == []


def test_of_two_removals_of_the_same_code_the_later_comes_first(store, project):
    first, second = removed(store, project, at=1000), removed(store, project, at=2000)
    assert found(store, project) == [second, first]


def test_a_removal_that_is_pending_is_not_found_until_it_is_settled(store, project, session):
    number = removed(store, project, session_id=session, is_pending=True)
    assert found(store, project) == []
    [hunk] = pending.pending_hunks(store, project, session, 0)
    pending.settle(store, project, hunk, hunks.gone_lines(hunk))
    pending.end_pending(store, project, session, 0)
    assert found(store, project) == [number]
    assert pending.pending_hunks(store, project, session, 0) == []


def test_what_turned_out_to_be_moved_is_not_watched(store, project, session):
    removed(store, project, session_id=session, is_pending=True)
    [hunk] = pending.pending_hunks(store, project, session, 0)
    pending.settle(store, project, hunk, [])
    assert found(store, project) == []
    assert hunks.newest_hunks(store, project, "", 5) == ([], 0)


def test_a_turn_that_never_ended_is_settled_by_another_session(store, project, session):
    removed(store, project, session_id=session, is_pending=True, at=1000)
    other = ensure_session(store, Caller(CALLER.project, SessionRef("s2")), project, 0)
    assert pending.pending_hunks(store, project, other, 1000) == []
    assert len(pending.pending_hunks(store, project, other, 1001)) == 1


@pytest.mark.parametrize("state", ["dismissed", "returned"])
def test_what_is_not_watched_any_more_is_silent_but_can_be_searched(store, project, state):
    number = removed(store, project)
    hunk_index.unwatch(store, project, number, state)
    assert found(store, project) == []
    assert [hunk.id for hunk, _ in find_hunks(store, project, "backoff", 5).best] == [number]
    hunk = hunks.hunk_named(store, project, number)
    assert hunk.state == state
    hunk_index.watch_again(store, project, hunk)
    assert found(store, project) == [number]


def test_lines_that_a_session_added_are_its_own(store, session):
    pending.note_added(store, session, RETRY)
    assert pending.added_by(store, session, ["    return call_me_back(now)", RETRY[0]]) == [RETRY[0]]
    pending.forget_session_lines(store, session)
    assert pending.added_by(store, session, RETRY) == []


def test_whom_we_told_is_remembered_and_counted(store, project, session):
    number = removed(store, project)
    assert reintroduced.hunks_told(store, session, [number]) == set()
    reintroduced.note_told(store, session, [number], 5)
    assert reintroduced.hunks_told(store, session, [number]) == {number}
    assert value(store.connection, "SELECT cited FROM hunks WHERE id = ?", (number,)) == 1


def test_removed_code_is_searched_by_code_reason_path_and_parts_of_names(store, project):
    retry = removed(store, project, RETRY, path="net/client.py")
    parse = removed(store, project, PARSE, path="http/headers.py", reason="The library does it.")
    for text, number in (
        ("ConnectionError", retry),
        ("outages", retry),
        ("client", retry),
        ("partition", parse),
        ("header", parse),
        ("library", parse),
    ):
        assert [hunk.id for hunk, _ in find_hunks(store, project, text, 5).best][:1] == [number], text
    short = removed(store, project, ("    pool = open_db_pool(io, zmq)",), path="x.py", reason="API v2 was chosen.")
    for text in ("zmq", "db", "io", "api", "chosen"):
        assert short in [hunk.id for hunk, _ in find_hunks(store, project, text, 5).best], text
    assert find_hunks(store, project, "…", 5).best == []
    assert find_hunks(store, project, "nothing_like_it", 5).total == 0


def test_what_is_too_old_and_what_is_too_much_goes_the_least_cited_first(store, project, session):
    old = removed(store, project, at=10)
    cited = removed(store, project, PARSE, at=100)
    plain = removed(store, project, RETRY, at=200)
    reintroduced.note_told(store, session, [cited], 5)
    assert change_rows.forget_hunks(store, project, 50, 100, 10) == 1
    assert hunks.hunk_named(store, project, old) is None
    assert change_rows.forget_hunks(store, project, 50, 1, 10) == 1
    assert hunks.hunk_named(store, project, plain) is None
    assert found(store, project) == []
    assert found(store, project, PARSE) == [cited]
    assert find_hunks(store, project, "backoff", 5).total == 0
    assert change_rows.forget_hunks(store, project, 50, 1, 10) == 0
    assert rows(store.connection, "SELECT count(*) FROM changes") == [(1,)]


def test_another_version_of_the_features_indexes_everything_anew(store, project):
    number = removed(store, project)
    dismissed = removed(store, project, PARSE)
    hunk_index.unwatch(store, project, dismissed, "dismissed")
    store.connection.execute("UPDATE changes_index SET version = 'older'")
    store.connection.execute("DELETE FROM fingerprints")
    hunk_index.prepare_changes(store)
    assert found(store, project) == [number]
    assert found(store, project, PARSE) == []
    assert [hunk.id for hunk, _ in find_hunks(store, project, "backoff", 5).best] == [number]
    assert [hunk.id for hunk, _ in find_hunks(store, project, "partition", 5).best] == [dismissed]


def test_a_feature_of_very_many_hunks_does_not_count(store, project):
    for number in range(reintroduced.COMMON_HUNKS + 5):
        removed(store, project, (*RETRY[:3], f"    call_number_{number}(delay)"), path=f"{number}.py")
    kinds = dict.fromkeys(kept_features(RETRY[:1]), "L")
    holders = reintroduced._holders(store, {posting_hash(each, project): "L" for each in kinds})
    assert {len(ids) for ids in holders.values()} == {reintroduced.COMMON_HUNKS + 1}


def test_a_turn_lasts_until_it_is_settled(store, project, session):
    assert pending.current_turn(store, session) == 1
    removed(store, project, session_id=session, turn=1, is_pending=True)
    assert pending.current_turn(store, session) == 1
    pending.end_pending(store, project, session, 0)
    assert pending.current_turn(store, session) == 2


def test_edits_of_a_file_before_a_hunk_come_newest_first_whatever_else_is_stored(store, project):
    other = ensure_project(store, Caller(ProjectRef("/work/two", "two")), 0)
    own = [removed(store, project, reason=f"edit {n}") for n in range(3)]
    removed(store, project, commit="abc123")
    removed(store, project, path="b.py")
    for _ in range(20):
        removed(store, other)
    last = removed(store, project)
    assert [each.id for each in hunks.edits_before(store, project, "a.py", last, 10)] == own[::-1]
    assert [each.id for each in hunks.edits_before(store, project, "a.py", own[2], 1)] == [own[1]]
    assert hunks.edits_before(store, project, "a.py", own[0], 10) == []
    assert hunks.edits_before(store, other, "b.py", last, 10) == []
