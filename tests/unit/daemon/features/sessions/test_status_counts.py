"""The numbers of a status line."""

from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.features.memories.superseding import supersede
from palimp_daemon.features.sessions.status_counts import counts_shown
from palimp_daemon.store.store import ensure_project, ensure_session
from palimp_daemon.store.tables.memory_rows import set_purged
from palimp_daemon.store.tables.proposals import propose
from palimp_daemon.store.tables.sessions.given import note_given
from palimp_protocol.messages.links import Supersede
from palimp_protocol.messages.memory_messages import SaveMemory
from palimp_protocol.messages.session_messages import StatusCounts, StatusLine


def test_what_holds_and_what_waits_are_counted_apart(request_context):
    """Neither what was purged or replaced, nor what another project knows."""
    texts = ("Ответы на русском", "三回まで再試行する", "Cents are integers", "Floats are fine", "Tabs", "Spaces")
    ids = [save_memory(request_context(), SaveMemory(text=text)).id for text in texts]
    save_memory(request_context("/work/two"), SaveMemory(text="Elsewhere"))
    context = request_context()
    supersede(context, Supersede(older=ids[3], newer=ids[2]))
    set_purged(context.store, 5, 1)
    propose(context.store, 6, 1)

    assert counts_shown(context, StatusLine()) == StatusCounts(memories=3, waiting=1)


def test_what_was_said_for_all_projects_holds_here_while_it_waits(request_context):
    context = request_context(session="agent")
    save_memory(context, SaveMemory(text="Answer in English.", kind="preference", scope="global"))

    assert counts_shown(request_context(), StatusLine()) == StatusCounts(memories=1, waiting=1)


def test_a_session_that_was_told_a_memory_twice_was_given_one(request_context):
    for text in ("One", "Zwei"):
        save_memory(request_context(), SaveMemory(text=text))
    asked, other = request_context(session="asked"), request_context(session="other")
    session = ensure_session(asked.store, asked.caller, ensure_project(asked.store, asked.caller, 0), 0)
    assert session is not None
    note_given(asked.store, session, "start", [(1, "pinned"), (2, "branch")], 10)
    note_given(asked.store, session, "prompt", [(2, "")], 20)

    assert counts_shown(asked, StatusLine()).given == 2
    assert counts_shown(other, StatusLine()).given == 0
    assert counts_shown(request_context(), StatusLine()).given == 0


def test_a_project_of_which_nothing_is_known_has_nothing(request_context):
    assert counts_shown(request_context("/work/new"), StatusLine()) == StatusCounts()
