"""What is kept of sessions, and for how long."""

from palimp_clients.transcripts.whole_lines import Place
from palimp_daemon.runtime.sql import rows, value
from palimp_daemon.store.store import ensure_project, ensure_session
from palimp_daemon.store.tables.sessions.given import note_given
from palimp_daemon.store.tables.sessions.session_rows import OVER_MS, forget_details, note_injected, note_recalls
from palimp_daemon.store.tables.sessions.transcript_rows import Transcript, keep_transcript
from palimp_daemon.text.session_summary import Digest


def test_of_sessions_that_are_over_only_what_they_did_is_kept(store, request_context):
    """Some at a time; whoever was heard of since goes on as before."""
    for number in range(4):
        one = request_context("/work/one", f"s{number}")
        session = ensure_session(store, one.caller, ensure_project(store, one.caller, 0), one.now_ms)
        keep_transcript(store, session, Transcript("/t.jsonl", Place(7, "head"), Digest()))
        note_injected(store, session, [1])
        note_given(store, session, "prompt", [(1, "")], one.now_ms)
        store.connection.execute("INSERT INTO session_lines (session_id, hash) VALUES (?, 5)", (session,))
    over = one.now_ms + OVER_MS + 1
    note_recalls(store, session, 3, over)

    assert not forget_details(store, one.now_ms, 2), "none is over"
    assert forget_details(store, over, 2)
    assert not forget_details(store, over, 2)

    for table in ("transcripts", "injected", "given", "session_lines"):
        assert rows(store.connection, f"SELECT DISTINCT session_id FROM {table}") == [(session,)]
    assert value(store.connection, "SELECT count(*) FROM sessions") == 4
