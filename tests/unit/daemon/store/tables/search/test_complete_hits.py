"""What has all words of a query, or a rare identifier, is found however low the index ranks it."""

import pytest

from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.store.tables.search import memory_search
from palimp_protocol.messages.memory_messages import Recall, SaveMemory

pytestmark = pytest.mark.both_engines

LONG = " ".join(f"Also remark{number} says nothing." for number in range(60))


@pytest.fixture
def many_short(request_context, monkeypatch: pytest.MonkeyPatch):
    """More memories with one of the words each, often, than a search takes."""
    monkeypatch.setattr(memory_search, "READ_MAX", 5)
    monkeypatch.setattr(memory_search, "READ_LEXICAL_MAX", 5)
    for number in range(9):
        for word in ("gateway", "Sperre", "限流"):
            save_memory(request_context(), SaveMemory(text=f"{word} {word} {word} {number}"))


@pytest.mark.parametrize("query", ["gateway Sperre", "限流 gateway", "Sperre 限流 gateway"])
@pytest.mark.parametrize("limit", [1, 5])
def test_a_long_memory_with_all_words_stands_before_short_ones_with_one(
    request_context, many_short, query: str, limit: int
):
    long = save_memory(request_context(), SaveMemory(text=f"The gateway … {LONG} … its Sperre, {LONG}, 限流。")).id

    reply = recall(request_context(), Recall(query=query, limit=limit))

    assert reply.memories[0].id == long
    assert reply.is_certain


@pytest.mark.parametrize("name", ["AUTHX9917", "parse_invoice", "src/pay/limits.py"])
def test_a_rare_identifier_is_among_the_rows_whatever_else_was_asked(request_context, many_short, name: str):
    long = save_memory(request_context(), SaveMemory(text=f"{LONG} It is in {name}. {LONG}")).id

    reply = recall(request_context(), Recall(query=f"gateway Sperre of {name}", limit=3))

    assert long in [each.id for each in reply.memories]


@pytest.mark.parametrize("query", ["gateway: 60 requests, C++ 0x", "utf8 Sperre", "10MB gateway", "checkoutV2 gateway"])
def test_what_is_written_otherwise_is_looked_for_all_the_same(request_context, many_short, query: str):
    """A spelling that the query has not is in the plan, too."""
    written = save_memory(request_context(), SaveMemory(text="UTF-8, 10 MB, checkout_v2 and C++ 0x")).id

    reply = recall(request_context(), Recall(query=query, limit=50))

    assert written in [each.id for each in (*reply.memories, *reply.unrelated)]


def test_what_lacks_a_word_is_not_asked_for_twice(request_context, many_short):
    """No memory has all: the answer is what it was."""
    assert not recall(request_context(), Recall(query="gateway Sperre kafka", limit=3)).is_certain
