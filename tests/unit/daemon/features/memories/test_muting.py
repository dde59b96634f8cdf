"""Muting and taking mutes off, within bounds; and what is found as before."""

import pytest

from palimp_daemon.features.memories.editing import edit, with_clean_texts
from palimp_daemon.features.memories.muting import mute_memories
from palimp_daemon.features.memories.pinning import pin_memories
from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.store.tables.mutes import mute
from palimp_daemon.text.redact import Redactor
from palimp_protocol.errors import PalimpError
from palimp_protocol.limits import MUTES_MAX
from palimp_protocol.messages.links import EditMemory, Mute, Pin
from palimp_protocol.messages.memory_messages import Recall, SaveMemory


def test_mutes_are_set_listed_and_taken_off(request_context):
    one, two = (save_memory(request_context(), SaveMemory(text=text)).id for text in ("One rule", "Ещё правило"))
    everywhere = save_memory(request_context(None), SaveMemory(text="A rule for all")).id
    assert [each.id for each in mute_memories(request_context(), Mute(ids=[one])).memories] == [one]
    again = mute_memories(request_context(), Mute(ids=[one, two, everywhere, "m0nothing"]))
    assert ([each.id for each in again.memories], again.unchanged, len(again.unknown)) == ([two, everywhere], [one], 1)

    listed = mute_memories(request_context(), Mute())
    assert ([each.id for each in listed.muted], listed.total) == ([everywhere, two, one], 3)
    assert [each.title for each in listed.muted] == ["A rule for all", "Ещё правило", "One rule"]
    assert [each.id for each in mute_memories(request_context("/work/two"), Mute()).muted] == [everywhere]

    off = mute_memories(request_context(), Mute(ids=[one], off=True))
    assert [each.id for each in off.memories] == [one]
    assert mute_memories(request_context(), Mute(ids=[one], off=True)).unchanged == [one]
    assert mute_memories(request_context(), Mute()).total == 2


def test_what_is_muted_is_found_and_marked(request_context):
    one = save_memory(request_context(), SaveMemory(text="Deploys happen on Tuesdays")).id
    two = save_memory(request_context(), SaveMemory(text="Deploys need two reviews")).id
    mute_memories(request_context(), Mute(ids=[one]))
    for request in (Recall(query="deploys"), Recall(ids=[one, two]), Recall()):
        found = {memory.id: memory.is_muted for memory in recall(request_context(), request).memories}
        assert found == {one: True, two: False}


def test_a_memory_is_pinned_or_muted_whichever_was_said_last(request_context):
    one = save_memory(request_context(), SaveMemory(text="One rule")).id

    def states() -> tuple[bool, bool]:
        [memory] = recall(request_context(), Recall()).memories
        return memory.is_pinned, memory.is_muted

    pin_memories(request_context(), Pin(ids=[one]))
    mute_memories(request_context(), Mute(ids=[one]))
    assert states() == (False, True)
    pin_memories(request_context(), Pin(ids=[one]))
    assert states() == (True, False)


def test_another_version_of_what_is_muted_is_not_muted(request_context):
    one = save_memory(request_context(), SaveMemory(text="One rule")).id
    mute_memories(request_context(), Mute(ids=[one]))
    edit(request_context(), with_clean_texts(Redactor(), EditMemory(id=one, text="Another rule")))
    assert [memory.is_muted for memory in recall(request_context(), Recall()).memories] == [False, True]


def test_more_than_can_be_muted_in_a_project_is_refused(request_context):
    one, two = (save_memory(request_context(), SaveMemory(text=text)).id for text in ("One rule", "Two rules"))
    context = request_context()
    for number in range(MUTES_MAX - 1):
        save_memory(context, SaveMemory(text=f"Rule number {number}"))
    mute(context.store, range(3, MUTES_MAX + 2), 5)
    assert len(mute_memories(context, Mute(ids=[one])).memories) == 1
    with pytest.raises(PalimpError, match="would be muted"):
        mute_memories(context, Mute(ids=[two]))


def test_what_was_replaced_or_purged_is_not_muted(request_context):
    old = save_memory(request_context(), SaveMemory(text="Retries are three.")).id
    new = save_memory(request_context(), SaveMemory(text="Retries are five.", replaces=[old])).id
    with pytest.raises(PalimpError, match=f"is replaced by {new}"):
        mute_memories(request_context(), Mute(ids=[old]))
    recall(request_context(), Recall(id=new, action="purge"))
    with pytest.raises(PalimpError, match="is purged"):
        mute_memories(request_context(), Mute(ids=[new]))


def test_mutes_are_taken_off_something(request_context):
    with pytest.raises(PalimpError, match="--off needs at least one id"):
        mute_memories(request_context(), Mute(off=True))
