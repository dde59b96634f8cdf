"""Pinning and taking pins off, within bounds."""

import pytest

from palimp_daemon.features.memories.pinning import pin_memories
from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.memories.save import save_memory
from palimp_protocol.errors import PalimpError
from palimp_protocol.limits import PINS_MAX
from palimp_protocol.messages.links import Pin
from palimp_protocol.messages.memory_messages import Recall, SaveMemory


def test_pins_are_set_shown_and_taken_off(request_context):
    one, two = (save_memory(request_context(), SaveMemory(text=text)).id for text in ("One rule", "Two rules"))
    assert [each.id for each in pin_memories(request_context(), Pin(ids=[one])).memories] == [one]
    again = pin_memories(request_context(), Pin(ids=[one, two, "m0nothing"]))
    assert ([each.id for each in again.memories], again.unchanged, len(again.unknown)) == ([two], [one], 1)
    assert all(memory.is_pinned for memory in recall(request_context(), Recall()).memories)

    off = pin_memories(request_context(), Pin(ids=[one], off=True))
    assert [each.id for each in off.memories] == [one]
    assert pin_memories(request_context(), Pin(ids=[one], off=True)).unchanged == [one]
    assert [memory.id for memory in recall(request_context(), Recall()).memories if memory.is_pinned] == [two]


def test_more_than_fit_the_start_are_refused(request_context):
    ids = [save_memory(request_context(), SaveMemory(text=f"Rule number {n}")).id for n in range(PINS_MAX + 1)]
    with pytest.raises(PalimpError, match="fit the start"):
        pin_memories(request_context(), Pin(ids=ids))
    everywhere = save_memory(request_context(None), SaveMemory(text="A rule for all")).id
    assert len(pin_memories(request_context(), Pin(ids=[*ids[:0], everywhere])).memories) == 1


def test_what_was_replaced_or_purged_is_not_pinned(request_context):
    old = save_memory(request_context(), SaveMemory(text="Retries are three.")).id
    new = save_memory(request_context(), SaveMemory(text="Retries are five.", replaces=[old])).id
    with pytest.raises(PalimpError, match=f"is replaced by {new}"):
        pin_memories(request_context(), Pin(ids=[old]))
    recall(request_context(), Recall(id=new, action="purge"))
    with pytest.raises(PalimpError, match="is purged"):
        pin_memories(request_context(), Pin(ids=[new]))
