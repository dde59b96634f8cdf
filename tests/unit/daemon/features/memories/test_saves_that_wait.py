"""While `save.review` is set, a save is a proposal: it hides nothing and is not told before a person's yes."""

import pytest

from palimp_daemon.features.memories.editing import edit, with_clean_texts
from palimp_daemon.features.memories.pinning import pin_memories
from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.memories.reviewing import review
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.features.memories.undoing import undo
from palimp_daemon.features.sessions.inbox import inbox_line
from palimp_daemon.features.sessions.start_context import standing_knowledge
from palimp_daemon.store.tables.memory_links import pointers_differing
from palimp_daemon.text.redact import Redactor
from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.act_messages import Undo
from palimp_protocol.messages.links import EditMemory, Pin
from palimp_protocol.messages.memory_messages import Recall, SaveMemory
from palimp_protocol.messages.review_messages import Review

NEVER = SaveMemory(text="Never use npm here", kind="preference")


@pytest.fixture
def agent(request_context):
    """Makes contexts of an agent whose saves wait."""
    return lambda: request_context(saves_wait=True)


def told(context) -> list[str]:
    return [row.title for row in standing_knowledge(context.caller, context.store).rules]


def test_it_is_stored_at_once_and_told_only_after_a_yes(request_context, agent):
    saved = save_memory(agent(), NEVER)
    assert saved.is_proposal
    assert told(request_context()) == []
    [row] = recall(request_context(), Recall(query="npm")).memories
    assert row.is_proposal
    context = request_context()
    assert "1 memory awaits" in inbox_line(context.caller, context.now_ms, context.store)

    [listed] = review(request_context(session=None), Review()).proposals
    assert (listed.id, listed.client, listed.source) == (saved.id, "test", "manual")
    review(request_context(session=None), Review(keep=[saved.id]))
    assert told(request_context()) == ["Never use npm here"]


def test_what_it_replaces_holds_until_then(request_context, agent):
    old = save_memory(request_context(), NEVER).id
    new = save_memory(agent(), SaveMemory(text="Use npm for all", kind="preference", replaces=[old])).id
    assert told(request_context()) == ["Never use npm here"]
    review(request_context(session=None), Review(keep=[new]))
    assert told(request_context()) == ["Use npm for all"]
    undo(request_context(session=None), Undo())
    assert told(request_context()) == ["Never use npm here"]
    assert not pointers_differing(request_context().store)


def test_no_way_of_an_agents_confirms_it(request_context, agent):
    one = save_memory(agent(), NEVER).id
    save_memory(agent(), NEVER)
    other = save_memory(request_context(session=None), SaveMemory(text="Use pnpm")).id
    save_memory(agent(), SaveMemory(text=one, narrows=[other]))
    save_memory(agent(), SaveMemory(text="But in docs", narrows=[one]))
    with pytest.raises(PalimpError, match="only a person"):
        review(agent(), Review(keep=[one]))
    with pytest.raises(PalimpError, match="only a person"):
        pin_memories(agent(), Pin(ids=[one]))
    edited = edit(agent(), with_clean_texts(Redactor(), EditMemory(id=other, text="Use npm"))).id
    assert told(request_context()) == []
    waiting = {each.id for each in review(request_context(session=None), Review()).proposals}
    assert {one, edited} <= waiting
    assert [row.title for row in recall(request_context(), Recall(query="pnpm")).memories] == ["Use pnpm"]


def test_what_a_person_saves_is_kept_at_once(request_context):
    assert not save_memory(request_context(session=None), NEVER).is_proposal
    assert told(request_context()) == ["Never use npm here"]
