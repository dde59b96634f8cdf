"""The stems in memory hold all that the index has, whatever was written since they were read, on both engines."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lanes import examples

from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.runtime.sql import rows
from palimp_daemon.search.engine import Filter
from palimp_daemon.store.store import newest_memory
from palimp_daemon.store.tables.memory_rows import NewMemory, replace_text, rows_by_seq
from palimp_daemon.store.tables.words import vocabulary as module
from palimp_daemon.store.tables.words.unknown_words import try_neighbours
from palimp_daemon.store.tables.words.vocabulary import IndexStems, vocabulary
from palimp_protocol.messages.memory_messages import SaveMemory

pytestmark = pytest.mark.both_engines

FEW = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(40), deadline=None)
WORDS = [
    "webhook",
    "Überprüfung",
    "checkout_v2",
    "データベース",
    "Ночное",
    "retries",
    "HTTP/2",
    "10MB",
    "naïve",
    "kubernetes",
]
TEXTS = st.lists(st.sampled_from(WORDS) | st.text(min_size=1, max_size=12), min_size=1, max_size=6).map(" ".join)


def stems_of_index(store) -> set[str]:
    found = rows(store.connection, store.engine.all_stems, (10_000,))
    return {stem.decode(errors="surrogateescape") for (stem,) in found}


@FEW
@given(texts=st.lists(TEXTS, min_size=1, max_size=4), tag=st.sampled_from(["api", "数据"]))
def test_what_is_written_later_is_known_too(store, request_context, texts: list[str], tag: str):
    """Saves, a repeat with another title and tag, and a text that takes the place of another."""
    vocabulary(store, newest_memory(store))
    for text in filter(str.strip, texts):
        save_memory(request_context(), SaveMemory(text=f"{text} is settled."))
        save_memory(request_context(), SaveMemory(text=f"{text} is settled.", title="A renamed one", tags=[tag]))
    kept = vocabulary(store, newest_memory(store))

    assert kept is not None
    assert all(stem in kept for stem in stems_of_index(store))


def test_a_text_in_the_place_of_another_is_known(store, request_context):
    """As an update of what was captured makes it."""
    save_memory(request_context(), SaveMemory(text="The gateway retries."))
    vocabulary(store, newest_memory(store))
    [row] = rows_by_seq(store, [newest_memory(store)])
    text = "The zanzibar retries."

    replace_text(store, row.seq, NewMemory(row.project_id, None, text, text, [], row.kind, row.source, "", 0))

    kept = vocabulary(store, newest_memory(store))
    assert kept is not None
    assert all(stem in kept for stem in stems_of_index(store))


def test_what_was_rolled_back_leaves_nothing_out(store, request_context):
    """The number of a memory that was undone is given to another one, whose words are read."""
    store.connection.execute("BEGIN")
    save_memory(request_context(), SaveMemory(text="The ephemeral one."))
    vocabulary(store, newest_memory(store))
    store.connection.execute("ROLLBACK")
    store.forget()
    save_memory(request_context(), SaveMemory(text="The lasting gateway."))

    kept = vocabulary(store, newest_memory(store))

    assert kept is not None
    assert store.stems.of_term("gateway")[0] in kept


@pytest.mark.parametrize("bound", ["MEMORIES_MAX", "STEMS_MAX"])
def test_too_many_are_not_kept(store, request_context, monkeypatch, bound: str):
    """The index is asked then, and finds the same."""
    save_memory(request_context(), SaveMemory(text="The webhook gateway retries."))
    few = try_neighbours(store, "webhok", ["webhok"], Filter("1"), newest_memory(store))

    monkeypatch.setattr(module, bound, 0)
    store.state(IndexStems).forget()

    assert vocabulary(store, newest_memory(store)) is None
    assert try_neighbours(store, "webhok", ["webhok"], Filter("1"), newest_memory(store)) == few != []


SAID = "The webhook gateway retries the deployments of the checkout service after a revision of the configured dataset."


@FEW
@given(word=st.sampled_from(SAID.split()), data=st.data())
def test_the_same_is_tried_as_by_the_index(store, request_context, word: str, data: st.DataObject):
    """For any word with one or two letters changed."""
    save_memory(request_context(), SaveMemory(text=SAID))
    slip = list(word.lower().strip("."))
    for _ in range(data.draw(st.integers(1, 2))):
        slip[data.draw(st.integers(0, len(slip) - 1))] = data.draw(st.sampled_from("abcdefghijklmnopqrstuvwxyz"))
    asked = ("".join(slip), ["".join(slip)], Filter("1"), newest_memory(store))

    kept = try_neighbours(store, *asked)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MEMORIES_MAX", 0)
        store.state(IndexStems).forget()

        assert try_neighbours(store, *asked) == kept
