"""What goes with a memory that is erased: its quotes, and nothing that only happens to use its words."""

from palimp_daemon.codediff.diff import Hunk
from palimp_daemon.features.memories.erase_rows import erase
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.store.store import ensure_project
from palimp_daemon.store.tables.changes import Change, insert_change
from palimp_protocol.messages.erasure import Erase
from palimp_protocol.messages.memories import SaveMemory


def removed(request_context, reason: str) -> None:
    context = request_context()
    project = ensure_project(context.store, context.caller, context.now_ms)
    hunk = Hunk("a.py", 1, ("retry(delay=2, most=5)",), (), (False,))
    insert_change(context.store, project, Change(reason, context.now_ms, "Edit"), [hunk])


def reasons(request_context) -> list[str]:
    return [reason for (reason,) in request_context().store.connection.execute("SELECT reason FROM changes")]


def test_the_reasons_of_removed_code_that_quote_an_erased_memory_go_with_it(request_context):
    said = "Nie mehr als drei Versuche, sonst sperrt uns der Anbieter 日本."
    memory = save_memory(request_context(), SaveMemory(text=said)).id
    removed(request_context, f"asked: {said} Danke!")
    removed(request_context, "asked: something else")
    erase(request_context(), Erase(ids=[memory]))
    assert reasons(request_context) == ["", "asked: something else"]


def test_a_short_text_is_quoted_where_nobody_means_the_memory(request_context):
    memory = save_memory(request_context(), SaveMemory(text="Use tabs.")).id
    removed(request_context, "asked: Use tabs. And fix the build.")
    erase(request_context(), Erase(ids=[memory]))
    assert reasons(request_context) == ["asked: Use tabs. And fix the build."]
