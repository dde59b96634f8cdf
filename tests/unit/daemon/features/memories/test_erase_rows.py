"""What goes with a memory that is erased: its quotes, and nothing that only happens to use its words."""

from palimp_daemon.codediff.diff import Hunk
from palimp_daemon.features.memories.erase_rows import erase
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.store.store import ensure_project, ensure_session
from palimp_daemon.store.tables.erasures import pending_erasures
from palimp_daemon.store.tables.removed_code.change_rows import Change, insert_change
from palimp_daemon.text.last_words import LastWords
from palimp_daemon.text.messages import short
from palimp_protocol.messages.erasure import Erase
from palimp_protocol.messages.memory_messages import SaveMemory


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


def hunk_of(request_context, *lines: str) -> str:
    """Have *lines* removed from a file; return the id of what is known of it."""
    context = request_context()
    project = ensure_project(context.store, context.caller, context.now_ms)
    hunk = Hunk("a.py", 7, lines, (), tuple(False for _ in lines))
    insert_change(context.store, project, Change("asked: drop it", context.now_ms, "Edit"), [hunk])
    return f"h{context.store.value('SELECT max(id) FROM hunks')}"


def test_removed_code_is_erased_by_its_id_and_what_is_like_it_is_named(request_context):
    """Twice the same id is one; ids that stand for nothing here are named."""
    line = "connection = retry(dial, attempts=5, pause_s=2)"
    first, other = hunk_of(request_context, line, "first()"), hunk_of(request_context, line, "other()")

    erased = erase(request_context(), Erase(ids=[first, first, "h99", other.upper()]))

    assert erased.memories == [(first, "a.py:7"), (other, "a.py:7")]
    assert erased.unknown == ["h99: no such removed code in this project"]
    assert erased.notes == [f"Some lines of {first} are in other removed code, too: {other}."]
    assert pending_erasures(request_context().store) == 1
    assert erase(request_context(), Erase(ids=[first])).memories == []


def test_removed_code_of_another_project_is_not_reached(request_context):
    first = hunk_of(request_context, "a_line_of_code_that_is_long_enough = 1")

    elsewhere = erase(request_context("/work/two"), Erase(ids=[first]))

    assert (elsewhere.memories, elsewhere.unknown) == ([], [f"{first}: no such removed code in this project"])
    assert pending_erasures(request_context().store) == 0
    assert erase(request_context(), Erase(ids=[first])).memories == [(first, "a.py:7")]


def test_memories_and_removed_code_are_one_answer_and_one_act(request_context):
    """The act counts memories alone, since nothing else can be listed by it."""
    memory = save_memory(request_context(), SaveMemory(text="Cap retries at three.")).id
    code = hunk_of(request_context, "retries = unbounded_number_of_them()")

    erased = erase(request_context(), Erase(ids=[code, memory, "mzzzzzzz"]))

    assert erased.memories == [(memory, "Cap retries at three"), (code, "a.py:7")]
    assert [each.partition(":")[0] for each in erased.unknown] == ["mzzzzzzz"]
    store = request_context().store
    assert store.column("SELECT kind FROM acts ORDER BY id DESC LIMIT 1") == ["erase"]
