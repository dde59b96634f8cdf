"""What a person answers to the question what a new memory does to older ones."""

import pytest

from palimp_daemon.features.memories.decide import decide
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.features.memories.undoing import undo
from palimp_daemon.store.tables.memory_links import NewLink, add, links_among
from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.act_messages import Undo
from palimp_protocol.messages.links import Decide
from palimp_protocol.messages.memory_messages import SaveMemory

TEXTS = [f"We decided that the cart's cache keeps its entries for {n} minutes." for n in ("ten", "thirty", "sixty")]


@pytest.fixture
def ids(request_context) -> list[str]:
    """Three decisions on one subject, of which the newer seem to replace the older ones."""
    return [save_memory(request_context(), SaveMemory(text=text, kind="decision")).id for text in TEXTS]


def held(request_context) -> set[tuple[int, int, str, str]]:
    found = links_among(request_context().store, [1, 2, 3])
    return {(each.newer, each.older, each.relation, each.said_by) for each in found if each.newer == 3}


def test_what_seems_to_replace_another_is_named_as_unclear(request_context):
    saved = [save_memory(request_context(), SaveMemory(text=text, kind="decision")) for text in TEXTS[:2]]

    assert [older.id for older in saved[1].unclear] == [saved[0].id]
    assert saved[0].unclear == []
    told = save_memory(request_context(), SaveMemory(text=TEXTS[2], kind="decision", replaces=[saved[1].id]))
    assert saved[1].id not in [older.id for older in told.unclear]


def test_a_person_s_word_stands_against_what_was_inferred(request_context, ids):
    for older in (1, 2):
        add(request_context().store, NewLink(3, older, "replaces", "inferred"), 5)

    decided = decide(request_context(session="s"), Decide(newer=ids[2], replaced=[ids[0]], kept=[ids[1]]))

    assert [(each.id, each.relation, each.said_by) for each in decided.linked] == [(ids[0], "replaces", "user")]
    assert [each.id for each in decided.kept] == [ids[1]]
    assert held(request_context) == {(3, 1, "replaces", "user")}


def test_an_exception_replaces_nothing(request_context, ids):
    decide(request_context(), Decide(newer=ids[2], narrowed=[ids[0], ids[1]]))

    assert held(request_context) == {(3, 1, "narrows", "user"), (3, 2, "narrows", "user")}


def test_the_same_answer_twice_is_one_and_undo_takes_it_back(request_context, ids):
    for _ in range(2):
        decide(request_context(), Decide(newer=ids[2], replaced=[ids[0]], narrowed=[ids[1]]))
    assert len(held(request_context)) == 2

    undo(request_context(session=None), Undo())
    assert held(request_context) == set()


@pytest.mark.parametrize("name", ["m1zzzzzz", "x"])
def test_what_is_not_there_any_more_is_refused(request_context, ids, name):
    with pytest.raises(PalimpError):
        decide(request_context(), Decide(newer=ids[2], replaced=[name]))


def test_what_would_go_in_a_circle_is_refused(request_context, ids):
    decide(request_context(), Decide(newer=ids[2], replaced=[ids[0]]))
    with pytest.raises(PalimpError, match="circle"):
        decide(request_context(), Decide(newer=ids[0], replaced=[ids[2]]))
