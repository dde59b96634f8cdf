"""Taking back, the newest first: compactions, links, versions and what saves said."""

import pytest

from palimp_daemon.features.memories.edit import edit
from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.features.memories.supersede import supersede
from palimp_daemon.features.memories.undo import undo
from palimp_daemon.store.store import project_row
from palimp_daemon.store.tables.memory_links import NewLink, add
from palimp_daemon.store.tables.memory_merge import Pair, begin_compaction, mark_merged
from palimp_daemon.text.redact import Redactor
from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.links import EditMemory, Supersede, Undo
from palimp_protocol.messages.memories import Recall, SaveMemory


@pytest.fixture
def ids(request_context) -> list[str]:
    """Four memories."""
    words = ("first", "second", "third", "fourth")
    return [save_memory(request_context(), SaveMemory(text=f"The {word} decision")).id for word in words]


def current(request_context) -> list[str]:
    """Return what was not replaced, the oldest first."""
    found = recall(request_context(), Recall()).memories
    return [memory.id for memory in reversed(found) if not memory.superseded_by]


def compacted(request_context, *pairs: tuple[int, int]) -> None:
    context = request_context()
    project = project_row(context.store, context.caller)
    number = begin_compaction(context.store, project, context.now_ms, 10)
    mark_merged(context.store, number, project, [Pair(*pair, "says the same") for pair in pairs], context.now_ms)


def test_everything_is_taken_back_in_turn(request_context, ids):
    supersede(request_context(), Supersede(older=ids[0], newer=ids[1]))
    compacted(request_context, (3, 4))
    version = edit(Redactor(), request_context(), EditMemory(id=ids[1], text="The second decision, in other words")).id
    saved = save_memory(request_context(), SaveMemory(text="The fifth", replaces=[ids[3]])).id
    assert current(request_context) == [version, saved]

    listed = undo(request_context(), Undo(list=True))
    assert [deed.kind for deed in listed.deeds] == ["save", "edit", "compact", "supersede"]
    assert [deed.name for deed in listed.deeds] == ["link4", "link3", "compact1", "link1"]

    one = undo(request_context(), Undo())
    assert (one.undone.kind, one.memories, current(request_context)) == ("save", 1, [ids[3], version, saved])
    two = undo(request_context(), Undo())
    assert (two.undone.kind, two.memories, current(request_context)) == ("edit", 1, [ids[1], ids[3], saved])
    three = undo(request_context(), Undo())
    assert (three.undone.kind, three.memories, three.left) == ("compact", 1, [])
    assert undo(request_context(), Undo()).undone.kind == "supersede"
    assert current(request_context) == [*ids, saved]
    with pytest.raises(PalimpError, match="nothing here that could be undone"):
        undo(request_context(), Undo())


def test_a_version_that_is_taken_back_can_be_restored(request_context, ids):
    version = edit(Redactor(), request_context(), EditMemory(id=ids[0], text="Other words")).id
    undo(request_context(), Undo())
    [memory] = recall(request_context(), Recall(id=version, include_purged=True)).memories
    assert memory.purged_at


def test_what_is_about_one_memory_is_taken_back_by_its_id_or_its_name(request_context, ids):
    first = supersede(request_context(), Supersede(older=ids[0], newer=ids[1])).link
    supersede(request_context(), Supersede(older=ids[0], newer=ids[2], relation="disagrees"))
    supersede(request_context(), Supersede(older=ids[2], newer=ids[3]))

    assert undo(request_context(), Undo(id=ids[1])).undone.name == first
    assert undo(request_context(), Undo(id="LINK3 ")).memories == 1
    assert undo(request_context(), Undo(id=ids[0])).undone.changes[0].relation == "disagrees"
    with pytest.raises(PalimpError, match="nothing here that is about"):
        undo(request_context(), Undo(id=ids[0]))


def test_one_merge_of_a_compact_is_taken_back_and_then_the_rest_of_it(request_context, ids):
    compacted(request_context, (1, 2), (3, 4))
    assert undo(request_context(), Undo(id=ids[0])).memories == 1
    assert current(request_context) == [ids[0], ids[1], ids[3]]
    assert undo(request_context(), Undo(id="compact1")).memories == 1
    assert current(request_context) == ids


@pytest.mark.parametrize("name", ["link9", "compact1", "m0nothing", "link1"])
def test_what_there_is_not_is_refused(request_context, ids, name):
    """Nor what is another project's."""
    supersede(request_context(), Supersede(older=ids[0], newer=ids[1]))
    with pytest.raises(PalimpError):
        undo(request_context("/work/two"), Undo(id=name))
    assert current(request_context) == ids[1:]


def test_what_was_purged_or_replaced_since_stays_so(request_context, ids):
    supersede(request_context(), Supersede(older=ids[0], newer=ids[1]))
    later = supersede(request_context(), Supersede(older=ids[0], newer=ids[2]))
    done = undo(request_context(), Undo(id="link1"))
    assert (done.memories, done.left) == (0, [ids[0]])
    recall(request_context(), Recall(id=ids[0], action="purge"))
    done = undo(request_context(), Undo(id=later.link))
    assert (done.memories, done.left) == (0, [ids[0]])


def test_what_was_inferred_is_taken_back_only_by_name(request_context, ids):
    number = add(request_context.store, NewLink(2, 1, "replaces", "inferred"), 5)
    assert undo(request_context(), Undo(list=True)).deeds == []
    assert undo(request_context(), Undo(id=f"link{number}")).undone.said_by == "inferred"


def test_a_version_that_was_replaced_since_is_taken_back_after_that(request_context, ids):
    """Else both what it replaced and what replaced it would hold."""
    second = edit(Redactor(), request_context(), EditMemory(id=ids[0], text="The first decision, again")).id
    third = edit(Redactor(), request_context(), EditMemory(id=second, text="The first decision, once more")).id

    with pytest.raises(PalimpError, match="replaced by another memory since") as refused:
        undo(request_context(), Undo(id="link1"))
    assert "palimp undo link2" in refused.value.hint
    assert current(request_context) == [*ids[1:], third]

    undo(request_context(), Undo(id="link2"))
    undo(request_context(), Undo(id="link1"))
    assert current(request_context) == ids
