"""What is told of a session: what it did, and what it was given, when and why."""

import pytest

from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.features.sessions.acting import ActionContext, note_told
from palimp_daemon.features.sessions.session_history import FAILED, list_sessions
from palimp_daemon.runtime.sql import value
from palimp_daemon.store.store import ensure_project, ensure_session
from palimp_daemon.store.tables.memory_rows import erase
from palimp_daemon.store.tables.sessions.failed_commands import FailedCommand, keep_failure
from palimp_daemon.store.tables.sessions.given import note_given
from palimp_daemon.store.tables.sessions.session_rows import already_told
from palimp_daemon.store.tables.sessions.usage_counts import note_opened
from palimp_protocol.errors import PalimpError
from palimp_protocol.limits import SESSION_GIVEN_MAX
from palimp_protocol.messages.memory_messages import Recall, SaveMemory
from palimp_protocol.messages.session_messages import Sessions


def given(request_context) -> list[tuple[str, str, str]]:
    reply = list_sessions(request_context(session="asked"), Sessions(session="asked"))
    return [(each.occasion, each.id, each.why) for each in reply.given]


def session_of(request_context) -> int:
    context = request_context(session="asked")
    session = ensure_session(context.store, context.caller, ensure_project(context.store, context.caller, 0), 0)
    assert session is not None
    return session


def test_a_session_that_was_given_nothing_says_nothing(request_context):
    session_of(request_context)
    assert given(request_context) == []


def test_each_occasion_says_why(request_context):
    store, session = request_context().store, session_of(request_context)
    texts = ("Never edit `cart/ttl.py`.", "Ответы на русском", "三回まで再試行する")
    ids = [save_memory(request_context(), SaveMemory(text=text)).id for text in texts]
    keep_failure(store, 1, FailedCommand(0, "cargo build", "cargo build -p a", "no linker", "cargo b", 1, None))
    note_given(store, session, "start", [(2, "pinned"), (3, "branch")], 10)
    note_given(store, session, "prompt", [(3, "")], 20)
    failure = value(store.connection, "SELECT id FROM failed_commands")
    caller = request_context(session="asked").caller
    note_told(caller, ActionContext("text", ((1, "cart/ttl.py"),), failure), 30, store)

    assert given(request_context) == [
        ("start", ids[1], "pinned"),
        ("start", ids[2], "branch"),
        ("prompt", ids[2], "bears on the prompt"),
        ("action", ids[0], "names cart/ttl.py"),
        ("action", "", FAILED),
    ]
    reply = list_sessions(request_context(session="asked"), Sessions(session="asked"))
    assert [each.at for each in reply.given] == [10, 10, 20, 30, 30]
    assert reply.given[-1].title == "cargo build -p a"
    assert list_sessions(request_context(), Sessions()).given == []


def test_what_a_subagent_is_told_is_listed_and_may_be_told_to_its_session(request_context):
    store, session = request_context().store, session_of(request_context)
    save_memory(request_context(), SaveMemory(text="Never edit `cart/ttl.py`."))
    caller = request_context(session="asked").caller
    note_told(caller, ActionContext("text", ((1, "cart/ttl.py"),), None), 30, store, is_subagent=True)
    assert [why for _, _, why in given(request_context)] == ["names cart/ttl.py"]
    assert already_told(store, session) == set()


def test_what_was_purged_since_is_listed_and_what_was_erased_is_not(request_context):
    store, session = request_context().store, session_of(request_context)
    ids = [save_memory(request_context(), SaveMemory(text=text)).id for text in ("One.", "Two.")]
    note_given(store, session, "prompt", [(1, ""), (2, "")], 20)
    recall(request_context(), Recall(action="purge", id=ids[0]))
    erase(store, 2, ids[1])
    assert [id_ for _, id_, _ in given(request_context)] == [ids[0]]


def test_that_older_ones_are_not_kept_is_said(request_context):
    store, session = request_context().store, session_of(request_context)
    save_memory(request_context(), SaveMemory(text="One."))
    for number in range(SESSION_GIVEN_MAX // 100):
        assert not list_sessions(request_context(session="asked"), Sessions(session="asked")).notes
        note_given(store, session, "start", [(1, "recent")] * 100, number)
    [note] = list_sessions(request_context(session="asked"), Sessions(session="asked")).notes
    assert f"the last {SESSION_GIVEN_MAX} memories" in note


def test_the_sessions_that_were_given_a_memory_are_told_newest_first_with_what_they_made_of_it(request_context):
    store, asked = request_context().store, session_of(request_context)
    ids = [save_memory(request_context(), SaveMemory(text=text)).id for text in ("Eins.", "二つ目。")]
    other = request_context(session="other")
    later = ensure_session(store, other.caller, 1, 0)
    assert later is not None
    note_given(store, asked, "start", [(1, "pinned"), (2, "recent")], 10)
    note_given(store, later, "prompt", [(1, "")], 20)
    note_opened(store, later, [ids[0]])

    def told(id_: str, project: str = "/work/one", limit: int = 20):
        return list_sessions(request_context(project), Sessions(given=id_, limit=limit))

    assert [(each.at, each.session, each.why, each.outcome) for each in told(ids[0]).given] == [
        (20, "other", "bears on the prompt", "opened"),
        (10, "asked", "pinned", ""),
    ]
    assert told(ids[0]).total == 2
    assert [each.session for each in told(ids[0], limit=1).given] == ["other"]
    assert [each.session for each in told(ids[1]).given] == ["asked"]
    with pytest.raises(PalimpError, match="no such memory"):
        told("m0zzzzzz")
