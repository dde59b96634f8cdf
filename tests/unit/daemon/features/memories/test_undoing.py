"""Taking acts back: the last one of who asks, whatever it was; and another one, if nothing stands in the way."""

import pytest

from palimp_daemon.features.memories.acts_list import list_acts
from palimp_daemon.features.memories.decide import decide
from palimp_daemon.features.memories.editing import edit, with_clean_texts
from palimp_daemon.features.memories.erase_rows import erase
from palimp_daemon.features.memories.muting import mute_memories
from palimp_daemon.features.memories.pinning import pin_memories
from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.memories.recording import Doing, record_more
from palimp_daemon.features.memories.reviewing import review
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.features.memories.superseding import supersede
from palimp_daemon.features.memories.undoing import undo
from palimp_daemon.runtime.sql import rows
from palimp_daemon.store.store import project_row
from palimp_daemon.store.tables.memory_links import NewLink, add, links_among
from palimp_daemon.store.tables.memory_merge import Pair, mark_merged
from palimp_daemon.store.tables.proposals import propose, proposed_among
from palimp_daemon.store.tables.steps import erasing_step, noting
from palimp_daemon.text.redact import Redactor
from palimp_neighbours.transfer.daemon.import_handlers import keep_incoming, prepare_all
from palimp_neighbours.transfer.daemon.record import Incoming
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.limits import PINS_MAX
from palimp_protocol.messages.act_messages import Acts, Undo
from palimp_protocol.messages.erasure import Erase
from palimp_protocol.messages.links import Decide, EditMemory, Mute, Pin, Supersede
from palimp_protocol.messages.memory_messages import Recall, SaveMemory
from palimp_protocol.messages.review_messages import Review

WORDS = ("first", "second", "third", "fourth")


@pytest.fixture
def mine(request_context):
    """Makes contexts of a person at a terminal."""
    return lambda project="/work/one": request_context(project, None)


@pytest.fixture
def ids(request_context) -> list[str]:
    """Four memories, which an agent saved."""
    return [save_memory(request_context(), SaveMemory(text=f"The {word} decision")).id for word in WORDS]


def current(context) -> list[str]:
    """Return what holds, the oldest first."""
    found = recall(context, Recall(limit=50)).memories
    return [memory.id for memory in reversed(found) if not memory.superseded_by]


def act_kinds(context) -> list[str]:
    return [act.kind for act in list_acts(context, Acts()).acts]


def refusal(context, request: Undo) -> PalimpError:
    with pytest.raises(PalimpError) as refused:
        undo(context, request)
    return refused.value


def effects(undone) -> dict[str, list[str]]:
    return {effect.kind: [one.id for one in effect.memories] for effect in undone.effects}


def merged(context, *pairs: tuple[int, int]) -> None:
    act, project = None, project_row(context.store, context.caller)
    for pair in pairs:  # each in a transaction of its own
        with noting(context.store) as steps:
            mark_merged(context.store, project, [Pair(*pair, "same")], context.now_ms)
        act = record_more(context.store, act, Doing("compact", context.caller, context.now_ms), steps)


def test_each_kind_of_act_is_taken_back_the_last_first(mine, ids):
    added = save_memory(mine(), SaveMemory(text="The fifth", replaces=[ids[3]])).id
    version = edit(
        mine(), with_clean_texts(Redactor(), EditMemory(id=ids[0], text="The first decision, in other words"))
    ).id
    recall(mine(), Recall(ids=[ids[1]], action="purge"))
    recall(mine(), Recall(ids=[ids[1]], action="restore"))
    pin_memories(mine(), Pin(ids=[added]))
    mute_memories(mine(), Mute(ids=[added]))
    supersede(mine(), Supersede(older=ids[1], newer=ids[2]))
    merged(mine(), (3, 5), (6, 5))
    assert current(mine()) == [added]

    undos = [undo(mine(), Undo()) for _ in range(8)]
    kinds = ["compact", "supersede", "mute", "pin", "restore", "delete", "edit", "save"]
    assert [each.act.kind for each in undos] == kinds
    assert [effects(each) for each in undos] == [
        {"holds": [ids[2], version]},
        {"holds": [ids[1]]},
        {"pinned": [added], "unmuted": [added]},
        {"unpinned": [added]},
        {"deleted": [ids[1]]},
        {"restored": [ids[1]]},
        {"deleted": [version], "holds": [ids[0]]},
        {"deleted": [added], "holds": [ids[3]]},
    ]
    assert current(mine()) == ids
    error = refusal(mine(), Undo())
    assert error.code is ErrorCode.NOT_FOUND
    assert "You have done nothing" in error.text


def test_a_person_takes_back_nothing_of_an_agent_unless_it_is_named(mine, request_context, ids):
    recall(mine(), Recall(ids=[ids[0]], action="purge"))
    saved = save_memory(request_context(), SaveMemory(text="The agent's own")).id

    assert undo(mine(), Undo()).act.kind == "delete"
    assert refusal(mine(), Undo()).code is ErrorCode.NOT_FOUND
    assert undo(mine(), Undo(id=saved)).act.author == "agent"
    assert current(mine()) == ids


def test_an_agent_means_what_its_own_session_did(mine, request_context, ids):
    save_memory(mine(), SaveMemory(text="A person's own"))
    other = save_memory(request_context(session="s2"), SaveMemory(text="Another session's")).id

    assert undo(request_context(session="s1"), Undo()).act.memories[0].id == ids[3]
    assert undo(request_context(session="s2"), Undo()).act.memories[0].id == other
    assert "This session" in refusal(request_context(session="s2"), Undo()).text


def test_an_answer_to_a_question_is_a_persons_act_although_it_came_from_a_session(mine, request_context, ids):
    decide(request_context(), Decide(newer=ids[1], replaced=[ids[0]]))
    assert undo(mine(), Undo()).act.kind == "decide"
    assert current(mine()) == ids


def test_that_both_hold_is_taken_back_too(mine, request_context, ids):
    number = add(request_context().store, NewLink(2, 1, "replaces", "inferred"), 5)
    decide(request_context(), Decide(newer=ids[1], kept=[ids[0]]))
    assert undo(mine(), Undo()).effects[0].kind == "linked"
    held = rows(mine().store.connection, "SELECT undone_at FROM memory_links WHERE id = ?", (number,))
    assert held == [(None,)]


def test_an_undo_is_taken_back_by_its_name_and_then_the_act_is_the_last_one_again(mine, ids):
    version = edit(mine(), with_clean_texts(Redactor(), EditMemory(id=ids[0], text="Other words"))).id
    name = list_acts(mine(), Acts()).acts[0].name
    one = undo(mine(), Undo())
    assert refusal(mine(), Undo(id=name)).hint == f"Nothing was undone. `palimp undo {one.name}` takes that back."

    again = undo(mine(), Undo(id=one.name))
    assert (again.act.kind, again.act.undoes) == ("undo", name)
    assert current(mine()) == [*ids[1:], version]
    assert undo(mine(), Undo(id=again.name)).act.undoes == one.name
    assert current(mine()) == ids
    undo(mine(), Undo(id=list_acts(mine(), Acts()).acts[0].name))

    assert undo(mine(), Undo()).act.name == name
    assert current(mine()) == ids


def test_a_dry_run_says_the_same_and_changes_nothing(mine, ids):
    recall(mine(), Recall(ids=ids[:2], action="purge"))
    would = undo(mine(), Undo(dry_run=True))
    assert would.name == ""
    assert act_kinds(mine())[0] == "delete"
    assert current(mine()) == ids[2:]

    done = undo(mine(), Undo())
    assert (done.act, done.effects) == (would.act, would.effects)
    assert current(mine()) == ids


def test_what_was_deleted_for_good_is_said_to_be_and_nothing_older_is_taken_back_instead(mine, ids):
    save_memory(mine(), SaveMemory(text="The fifth"))
    erase(mine(), Erase(ids=[ids[0], ids[1]]))
    error = refusal(mine(), Undo())
    assert "`delete --hard` of 2 memories, which cannot be undone" in error.text
    name = list_acts(mine(), Acts()).acts[1].name
    assert f"`palimp undo {name}`" in error.hint
    assert not list_acts(mine(), Acts()).acts[0].is_undoable


def test_an_erasure_of_several_is_not_told_of_the_memories_that_are_left(mine, ids):
    erase(mine(), Erase(ids=ids[2:]))
    assert [act.kind for act in list_acts(mine(), Acts(id=ids[0])).acts] == ["save"]
    assert not [*erasing_step(2).numbers]


def test_no_words_of_an_erased_memory_stay_in_the_history(mine, ids):
    save_memory(mine(), SaveMemory(text="The first decision", title="Quetzalcoatlus", tags=["xylophone"]))
    save_memory(mine(), SaveMemory(text="The first decision", title="Zanzibar"))
    erase(mine(), Erase(ids=[ids[0]]))

    kept = str(rows(mine().store.connection, "SELECT steps FROM acts UNION ALL SELECT steps FROM act_parts"))
    assert not [word for word in ("Quetzalcoatlus", "xylophone", "Zanzibar", "decision") if word in kept]
    acts = list_acts(mine(), Acts()).acts
    assert [act.is_undoable for act in acts if act.author == "user"] == [False, False, False]


def test_title_and_tags_are_as_they_were(mine, ids):
    save_memory(mine(), SaveMemory(text="The first decision", title="Another title", tags=["tag"]))
    assert effects(undo(mine(), Undo())) == {"reworded": [ids[0]]}
    [memory] = recall(mine(), Recall(id=ids[0])).memories
    assert (memory.title, memory.tags) == ("The first decision", [])


def test_what_was_changed_since_stands_in_the_way_and_is_named(mine, request_context, ids):
    added = save_memory(mine(), SaveMemory(text="The fifth")).id
    version = edit(
        request_context(), with_clean_texts(Redactor(), EditMemory(id=added, text="The fifth, as an agent says it"))
    ).id
    blocking = list_acts(mine(), Acts()).acts[0].name

    error = refusal(mine(), Undo())
    assert error.code is ErrorCode.CONFLICT
    assert f"{added} 'The fifth' was replaced by {version}" in error.text
    assert f"({blocking}, by test)" in error.text
    assert f"`palimp undo {blocking}`" in error.hint
    assert current(mine()) == [*ids, version]

    undo(mine(), Undo(id=blocking))
    undo(mine(), Undo())
    assert current(mine()) == ids


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda context, id_: recall(context, Recall(ids=[id_], action="purge")), "was deleted since"),
        (lambda context, id_: save_memory(context, SaveMemory(text="The fifth", tags=["b"])), "was saved again since"),
    ],
)
def test_an_added_memory_that_others_use_or_deleted_is_left_alone(mine, request_context, change, said):
    added = save_memory(mine(), SaveMemory(text="The fifth")).id
    change(request_context(), added)
    error = refusal(mine(), Undo())
    assert said in error.text
    assert "palimp undo act" in error.hint


def test_what_was_undone_otherwise_already_is_passed_over(mine, request_context, ids):
    recall(mine(), Recall(ids=ids, action="purge"))
    recall(request_context(), Recall(ids=[ids[1]], action="restore"))
    assert effects(undo(mine(), Undo())) == {"restored": [ids[0], ids[2], ids[3]]}

    pin_memories(mine(), Pin(ids=[ids[0]]))
    pin_memories(request_context(), Pin(ids=[ids[0]], off=True))
    assert "was pinned or unpinned since" in refusal(mine(), Undo()).text


def test_a_link_that_would_go_in_a_circle_is_not_made_again(mine, ids):
    supersede(mine(), Supersede(older=ids[0], newer=ids[1]))
    undone = undo(mine(), Undo())
    supersede(mine(), Supersede(older=ids[1], newer=ids[0]))
    assert "was linked otherwise since" in refusal(mine(), Undo(id=undone.name)).text


def test_an_import_is_taken_back_as_one_but_for_what_was_changed_since(mine, request_context):
    texts = {f"note {number}": f"Imported note number {number}" for number in range(6)}
    records = [Incoming(origin=origin, content=text, title="", source="x") for origin, text in texts.items()]
    act = None
    for page in (records[:2], records[2:]):
        context = mine()
        with noting(context.store) as steps:
            keep_incoming(context, prepare_all(page, Redactor()))
        act = record_more(context.store, act, Doing("import", context.caller, context.now_ms), steps)
        save_memory(request_context(), SaveMemory(text=f"In between {len(page)}"))
    [changed] = recall(mine(), Recall(query="Imported note number 4", limit=1)).memories
    edit(request_context(), with_clean_texts(Redactor(), EditMemory(id=changed.id, text="Changed by an agent")))

    undone = undo(mine(), Undo())
    assert (undone.act.kind, undone.act.total, len(undone.act.memories)) == ("import", 6, 3)
    assert [(effect.kind, effect.total, len(effect.memories)) for effect in undone.effects] == [("deleted", 5, 3)]
    assert [(one.id, one.why.partition(" since")[0][:12]) for one in undone.left] == [(changed.id, "was replaced")]
    assert keep_incoming(mine(), prepare_all(records[:1], Redactor())).imported == 1


@pytest.mark.parametrize("count", [2, 12])
def test_an_import_of_many_is_listed_as_done_to_each_of_them_alone(mine, ids, count: int):
    records = [
        Incoming(origin=f"note {number}", content=f"Note {number}", title="", source="x") for number in range(count)
    ]
    context = mine()
    with noting(context.store) as steps:
        keep_incoming(context, prepare_all(records, Redactor()))
    record_more(context.store, None, Doing("import", context.caller, context.now_ms), steps)

    for memory in recall(mine(), Recall(limit=50)).memories:
        kinds = [act.kind for act in list_acts(mine(), Acts(id=memory.id)).acts]
        assert kinds == ["save" if memory.id in ids else "import"]


def test_what_was_deleted_or_replaced_since_is_named_when_a_merge_is_taken_back(mine, ids):
    merged(mine(), (1, 2), (3, 4))
    name = list_acts(mine(), Acts()).acts[0].name
    recall(mine(), Recall(id=ids[0], action="purge"))
    undone = undo(mine(), Undo(id=name))
    assert effects(undone) == {"holds": [ids[2]]}
    assert [(one.id, one.why) for one in undone.left] == [(ids[0], "was deleted since")]


@pytest.mark.parametrize("is_purged", [False, True])
def test_what_was_only_inferred_of_a_purged_memory_is_not_told(mine, ids, is_purged: bool):
    """It holds again as before the merge; but nobody is shown the memory that it is about."""
    older, newer = ids[0], ids[1]
    store = mine().store
    add(store, NewLink(2, 1, "replaces", "inferred"), mine().now_ms)
    merged(mine(), (1, 2))
    if is_purged:
        recall(mine(), Recall(ids=[older], action="purge"))

    undone = undo(mine(), Undo(id=next(act.name for act in list_acts(mine(), Acts()).acts if act.kind == "compact")))

    assert effects(undone) == ({} if is_purged else {"holds": [older]})
    assert [one.id for one in undone.left] == ([older] if is_purged else [])
    assert [link.said_by for link in links_among(store, [1])] == ["inferred"]
    assert newer in current(mine())


def test_an_undo_lists_memories_in_the_order_of_the_act_that_it_is_about(mine, ids):
    """However often that was undone and done again."""
    pin_memories(mine(), Pin(ids=[ids[2], ids[0], ids[1]]))
    for _ in range(4):
        undo(mine(), Undo(id=list_acts(mine(), Acts(limit=1)).acts[0].name))

    listed = list_acts(mine(), Acts(limit=5)).acts
    assert [act.kind for act in listed] == ["undo"] * 4 + ["pin"]
    assert [[memory.id for memory in act.memories] for act in listed] == [[ids[2], ids[0], ids[1]]] * 5


def test_a_review_is_taken_back_whole(mine, ids):
    store = mine().store
    for seq in (1, 2):
        propose(store, seq, 5)
    review(mine(), Review(keep=[ids[0]], drop=[ids[1]]))
    undone = undo(mine(), Undo())
    assert (undone.act.total, effects(undone)) == (2, {"restored": [ids[1]], "waits": [ids[0]]})
    assert proposed_among(store, [1, 2]) == {1, 2}


def test_more_pins_than_there_may_be_are_not_brought_back(mine, ids):
    more = [save_memory(mine(), SaveMemory(text=f"Pinned {n}")).id for n in range(PINS_MAX)]
    pin_memories(mine(), Pin(ids=[ids[0]]))
    pin_memories(mine(), Pin(ids=[ids[0]], off=True))
    unpinned = list_acts(mine(), Acts()).acts[0].name
    pin_memories(mine(), Pin(ids=more))
    assert f"more than {PINS_MAX} memories would be pinned" in refusal(mine(), Undo(id=unpinned)).text


def test_acts_are_the_projects_own(mine, ids):
    recall(mine(), Recall(ids=[ids[0]], action="purge"))
    name = list_acts(mine(), Acts()).acts[0].name
    assert refusal(mine("/work/two"), Undo()).code is ErrorCode.NOT_FOUND
    assert refusal(mine("/work/two"), Undo(id=name)).code is ErrorCode.NOT_FOUND
    save_memory(mine("/work/two"), SaveMemory(text="Elsewhere"))
    assert refusal(mine("/work/two"), Undo(id=name)).code is ErrorCode.NOT_FOUND
    assert list_acts(mine("/work/two"), Acts()).total == 1


@pytest.mark.parametrize("name", ["act99", "link9", "compact1", "m0nothing", "99", "act", "日本"])
def test_what_there_is_not_is_refused(mine, ids, name):
    assert refusal(mine(), Undo(id=name)).code is ErrorCode.NOT_FOUND


def test_what_is_about_one_memory_is_listed_and_taken_back_by_its_id_or_the_name_of_a_link(mine, request_context, ids):
    link = supersede(mine(), Supersede(older=ids[0], newer=ids[1])).link
    supersede(request_context(), Supersede(older=ids[2], newer=ids[3]))

    assert [act.kind for act in list_acts(mine(), Acts(id=ids[0])).acts] == ["supersede", "save"]
    assert undo(mine(), Undo(id=ids[2])).act.links[0].older.id == ids[2]
    assert undo(mine(), Undo(id=f"{link.upper()} ")).act.links[0].older.id == ids[0]
    assert undo(mine(), Undo(id=ids[0])).act.kind == "save"
    assert current(mine()) == ids[1:]


def test_the_list_goes_on_before_an_act(mine, ids):
    first = list_acts(mine(), Acts(limit=3))
    assert (len(first.acts), first.total) == (3, 4)
    rest = list_acts(mine(), Acts(before=first.acts[-1].name))
    assert [act.memories[0].id for act in (*first.acts, *rest.acts)] == ids[::-1]


def test_an_act_on_memories_of_all_projects_is_of_the_project_it_was_done_in(mine):
    everywhere = save_memory(mine(None), SaveMemory(text="Everywhere")).id
    recall(mine(), Recall(ids=[everywhere], action="purge"))
    assert undo(mine(), Undo()).act.kind == "delete"
    assert undo(mine(None), Undo()).act.kind == "save"
