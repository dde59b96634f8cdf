"""Another version of a memory: what it keeps, and that the former one is still there."""

import pytest

from palimp_daemon.features.memories.editing import edit, with_clean_texts
from palimp_daemon.features.memories.pinning import pin_memories
from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.text.redact import Redactor
from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.links import EditMemory, Pin
from palimp_protocol.messages.memory_messages import Recall, SaveMemory


def shown(request_context, name: str):
    [memory] = recall(request_context(), Recall(id=name)).memories
    return memory


def test_a_version_is_of_the_same_kind_and_the_former_stays_readable(request_context):
    old = save_memory(request_context(), SaveMemory(text="Retries are three.", kind="decision", tags=["net"]))
    pin_memories(request_context(), Pin(ids=[old.id]))
    done = edit(request_context(), with_clean_texts(Redactor(), EditMemory(id=old.id, text="Retries are five.")))

    assert (done.former, done.title, done.is_unchanged) == (old.id, "Retries are five", False)
    new = shown(request_context, done.id)
    assert (new.kind, new.tags, new.is_pinned, new.content) == ("decision", ["net"], True, "Retries are five.")
    former = shown(request_context, old.id)
    assert (former.content, former.superseded_by, former.is_pinned) == ("Retries are three.", done.id, False)
    assert former.history == new.history
    assert [link.is_edit for link in new.history.links] == [True]


def test_another_kind_alone_is_another_version(request_context):
    old = save_memory(request_context(), SaveMemory(text="Retries are three.", kind="note", tags=["net"]))

    def as_decision(name: str):
        asked = EditMemory(id=name, text="Retries are three.", kind="decision")
        return edit(request_context(), with_clean_texts(Redactor(), asked))

    done = as_decision(old.id)

    assert not done.is_unchanged
    new = shown(request_context, done.id)
    assert (new.kind, new.tags, new.content) == ("decision", ["net"], "Retries are three.")
    assert as_decision(done.id).is_unchanged


def test_a_title_that_somebody_chose_stays(request_context):
    old = save_memory(request_context(), SaveMemory(text="Three.", title="How often we retry"))
    first = edit(request_context(), with_clean_texts(Redactor(), EditMemory(id=old.id, text="Five.")))
    second = edit(
        request_context(),
        with_clean_texts(Redactor(), EditMemory(id=first.id, text="Six.", title="Retries", tags=["net"])),
    )
    assert [first.title, second.title] == ["How often we retry", "Retries"]
    assert shown(request_context, second.id).tags == ["net"]


def test_a_version_in_a_global_memory_is_global(request_context):
    old = save_memory(request_context(None), SaveMemory(text="Commit in small steps."))
    new = edit(
        request_context(session=None), with_clean_texts(Redactor(), EditMemory(id=old.id, text="Commit in tiny steps."))
    )
    assert shown(request_context, new.id).project == ""


def test_the_same_text_makes_no_version(request_context):
    old = save_memory(request_context(), SaveMemory(text="Retries are three."))
    done = edit(request_context(), with_clean_texts(Redactor(), EditMemory(id=old.id, text=" Retries are three.\n")))
    assert (done.id, done.former, done.is_unchanged) == (old.id, old.id, True)
    assert recall(request_context(), Recall()).total == 1


def test_what_was_replaced_purged_or_is_not_there_is_not_edited(request_context):
    old = save_memory(request_context(), SaveMemory(text="Retries are three."))
    new = edit(request_context(), with_clean_texts(Redactor(), EditMemory(id=old.id, text="Retries are five.")))
    with pytest.raises(PalimpError, match=f"{old.id} was replaced by {new.id}"):
        edit(request_context(), with_clean_texts(Redactor(), EditMemory(id=old.id, text="Retries are six.")))
    recall(request_context(), Recall(id=new.id, action="purge"))
    with pytest.raises(PalimpError, match="is purged"):
        edit(request_context(), with_clean_texts(Redactor(), EditMemory(id=new.id, text="Retries are six.")))
    with pytest.raises(PalimpError, match="no such memory"):
        edit(request_context("/work/two"), with_clean_texts(Redactor(), EditMemory(id=old.id, text="Retries are six.")))
