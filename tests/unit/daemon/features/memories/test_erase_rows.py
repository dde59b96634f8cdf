"""What goes with a memory that is erased: its quotes, and nothing that only happens to use its words."""

from palimp_daemon.codediff.diff import Hunk
from palimp_daemon.features.memories.erase_rows import erase
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.store.store import ensure_project, ensure_session
from palimp_daemon.store.tables.removed_code.changes import Change, insert_change
from palimp_daemon.text.last_words import LastWords
from palimp_daemon.text.messages import short
from palimp_protocol.messages.erasure import Erase
from palimp_protocol.messages.memories import SaveMemory


def removed(request_context, reason: str, session: str = "s1") -> None:
    context = request_context(session=session)
    project = ensure_project(context.store, context.caller, context.now_ms)
    hunk = Hunk("a.py", 1, ("retry(delay=2, most=5)",), (), (False,))
    own = ensure_session(context.store, context.caller, project, context.now_ms)
    insert_change(context.store, project, Change(reason, context.now_ms, "Edit", session_id=own), [hunk])


def reasons(request_context) -> list[str]:
    return [reason for (reason,) in request_context().store.connection.execute("SELECT reason FROM changes")]


def test_the_reasons_of_removed_code_that_quote_an_erased_memory_go_with_it(request_context):
    said = "Nie mehr als drei Versuche, sonst sperrt uns der Anbieter 日本."
    memory = save_memory(request_context(), SaveMemory(text=said)).id
    removed(request_context, f"asked: {said} Danke!")
    removed(request_context, "asked: something else")
    erase(request_context(), Erase(ids=[memory]))
    assert reasons(request_context) == ["", "asked: something else"]


def test_a_reason_quotes_a_text_of_several_lines_on_one_and_how_a_long_one_begins(request_context):
    rule = "Nie mehr als drei Versuche:\n\n* sonst sperrt uns  der Anbieter 日本."
    long = f"{rule} " + "Und so weiter. " * 30
    memories = [save_memory(request_context(), SaveMemory(text=text)).id for text in (rule, long)]
    removed(request_context, LastWords(f"{rule} Danke!", "").reason)
    removed(request_context, LastWords(short(long, 300), "Done.").reason, session="other")
    erase(request_context(), Erase(ids=[memories[1]]))
    assert reasons(request_context)[1] == ""
    erase(request_context(), Erase(ids=[memories[0]]))
    assert reasons(request_context) == ["", ""]


def test_a_short_text_is_quoted_where_nobody_means_the_memory(request_context):
    memory = save_memory(request_context(), SaveMemory(text="Use tabs.")).id
    removed(request_context, "asked: Use tabs. And fix the build.")
    erase(request_context(), Erase(ids=[memory]))
    assert reasons(request_context) == ["asked: Use tabs. And fix the build."]
