"""Turns and commits that are asked for: by words, kind, time and id; with what was said around them."""

from pathlib import Path

import pytest
from conversation_services import KeptConversations, transcript
from msgspec import UNSET
from request_contexts import NOON_MS

from palimp_daemon.features.conversations import recall_turns
from palimp_daemon.features.conversations.recall_turns import (
    AROUND_CHARACTERS,
    HEARD_MIN,
    NO_SUCH_TURN,
    exchanges,
    is_of_turns,
    is_turn_id,
    spread,
)
from palimp_daemon.store.store import Store, ensure_project
from palimp_daemon.store.tables import memory_rows
from palimp_daemon.store.tables.sessions import conversation_rows as table
from palimp_daemon.store.tables.sessions.conversation_rows import StoredCommit
from palimp_protocol.messages.memory_messages import Memory, Recall, Recalled

SAID = (
    "Why does the exporter time out?",
    "The exporter waits for the pool, which has two connections.",
    "Make the pool larger then.",
    "The pool has ten connections now, and the exporter passes.",
    "Thanks, now the colours of the header.",
)


@pytest.fixture
async def said(kept: KeptConversations, tmp_path: Path) -> KeptConversations:
    """A session of five turns, and a commit."""
    file = tmp_path / "s1.jsonl"
    file.write_bytes(transcript(*SAID, session="s1").encode())
    await kept.read(file, kept.caller())
    commit = StoredCommit("ab" * 20, NOON_MS, "Enlarge the pool\n\nTen connections.", "Ada")

    owner = await kept.conversations.owner_of(kept.caller())

    def keep(store: Store) -> int:
        return table.keep_commits(store, ensure_project(store, owner, NOON_MS), [commit])

    await kept.conversations.ask(keep, is_write=True)
    return kept


async def recall(kept: KeptConversations, project: str = "", **request) -> Recalled:
    return await kept.conversations.recall(Recall(**request), kept.caller(project))


async def named(kept: KeptConversations, text: str) -> Memory:
    found = await recall(kept, kind="conversation", limit=50)
    return next(memory for memory in found.memories if memory.title.startswith(text[:20]))


async def test_a_search_finds_what_was_said_with_when_and_in_which_client(said: KeptConversations):
    found = await recall(said, query="exporter pool connections", kind="conversation")
    first = found.memories[0]
    assert (first.kind, first.client) == ("conversation", "claude-code")
    assert "pool" in first.title
    assert first.source in ("user", "assistant")
    assert NOON_MS <= first.created_at < NOON_MS + 60_000


async def test_a_question_and_its_answer_are_one_row(said: KeptConversations):
    found = await recall(said, query="exporter", kind="conversation", limit=10)
    assert len(found.memories) == 2


async def test_a_question_is_told_with_how_it_was_answered(said: KeptConversations):
    """Who asks the same knows the question."""
    [row] = (await recall(said, query="why does the exporter time out", kind="conversation", limit=1)).memories
    assert row.source == "user"
    assert row.snippet.endswith("Answer: The exporter waits for the pool, which has two connections.")


async def test_a_title_and_a_tag_narrow(said: KeptConversations):
    assert (await recall(said, kind="conversation", title="colours")).total == 1
    assert (await recall(said, query="pool", kind="conversation", title="no such title")).memories == []
    assert (await recall(said, kind="commit", tags=["nope"])).memories == []
    assert len((await recall(said, kind="commit", tags=["ab" * 5])).memories) == 1


async def test_a_kind_lists_the_newest_first(said: KeptConversations):
    found = await recall(said, kind="conversation")
    assert found.memories[0].title.startswith("Thanks")
    assert found.total == len(SAID)
    commits = await recall(said, kind="commit")
    assert [memory.title for memory in commits.memories] == ["Enlarge the pool"]
    page = await recall(said, kind="conversation", limit=2, offset=2)
    assert [memory.title[:8] for memory in page.memories] == ["Make the", "The expo"]


async def test_a_search_of_no_kind_finds_turns_and_commits(said: KeptConversations):
    kinds = {memory.kind for memory in (await recall(said, query="pool ten connections", limit=10)).memories}
    assert kinds == {"conversation", "commit"}


@pytest.mark.parametrize(
    ("query", "is_answer"),
    [
        ("which kubernetes cluster runs the exporter", False),
        ("how many connections has the pool of the exporter in kubernetes", True),  # one word that nobody said
        ("which sprocket cluster has ten pool connections for exporter passes", True),  # two, and most were said
    ],
)
async def test_what_was_hardly_spoken_of_is_no_answer(said: KeptConversations, query: str, is_answer: bool):
    before = (await recall(said, query=query)).memories
    assert before, "a few turns do not tell what nobody says"
    more = [f"Remark number {number} on the weather." for number in range(HEARD_MIN)]
    (said.folder / "s2.jsonl").write_text(transcript(*more, session="s2"))
    await said.read(said.folder / "s2.jsonl", said.caller(session="s2"))
    found = await recall(said, query=query)
    assert (bool(found.memories), bool(found.unrelated)) == (is_answer, not is_answer)
    assert (await recall(said, query=query, kind="conversation")).memories


async def test_another_project_finds_nothing(said: KeptConversations):
    assert (await recall(said, "/work/other", query="exporter", kind="conversation")).memories == []
    [turn] = [(await named(said, SAID[0])).id]
    found = await recall(said, "/work/other", id=turn)
    assert (found.memories, found.unknown) == ([], [f"{turn}: {NO_SUCH_TURN}"])


async def test_a_whole_turn_is_told_with_the_ones_around_it(said: KeptConversations):
    turn = await named(said, SAID[2])
    [whole] = (await recall(said, id=turn.id)).memories
    assert whole.content == f"assistant: {SAID[1]}\n\nuser: {SAID[2]}\n\nassistant: {SAID[3]}"
    assert whole.session == "s1"
    [row] = (await recall(said, id=turn.id, detail="compact")).memories
    assert (row.title, row.content) == (SAID[2].rstrip("."), UNSET)


async def test_what_is_around_a_turn_is_shortened_and_the_turn_is_not(kept: KeptConversations, tmp_path: Path):
    long = [f"start{n} " + "word " * 1000 + f"end{n}" for n in range(3)]
    file = tmp_path / "s1.jsonl"
    file.write_bytes(transcript(*long).encode())
    await kept.read(file, kept.caller())
    [whole] = (await recall(kept, id=(await named(kept, "start1")).id)).memories
    assert long[1] in whole.content
    assert "end0" not in whole.content
    assert "start2" in whole.content
    assert len(whole.content) < len(long[1]) + 2 * AROUND_CHARACTERS + 100


async def test_a_whole_commit_is_told_alone(said: KeptConversations):
    commit = (await recall(said, kind="commit")).memories[0]
    [whole] = (await recall(said, ids=[commit.id])).memories
    assert whole.content == "Enlarge the pool\n\nTen connections."


async def test_ids_are_told_in_their_order_and_unknown_ones_said(said: KeptConversations):
    last, first = (await named(said, SAID[4])).id, (await named(said, SAID[0])).id
    found = await recall(said, ids=[last, "t0000000", first])
    assert [memory.id for memory in found.memories] == [last, first]
    assert found.unknown == [f"t0000000: {NO_SUCH_TURN}"]


async def test_a_time_is_a_filter(said: KeptConversations):
    assert (await recall(said, kind="conversation", since="2025-11-22")).memories == []
    assert (await recall(said, kind="conversation", until="2025-11-20")).memories == []
    assert (await recall(said, kind="conversation", as_of="2025-11-20")).memories == []
    assert (await recall(said, kind="conversation", since="2025-11-20", until="2025-11-23")).total == len(SAID)


async def test_words_of_a_day_are_found_among_the_turns_of_that_day(said: KeptConversations):
    """And of another day none."""
    asked = {"query": "exporter pool", "kind": "conversation"}
    that_day = await recall(said, since="2025-11-20", until="2025-11-23", **asked)
    assert [each.id for each in that_day.memories] == [each.id for each in (await recall(said, **asked)).memories] != []
    assert (await recall(said, since="2025-11-01", until="2025-11-05", **asked)).memories == []


async def test_among_many_turns_the_rarer_words_select(said: KeptConversations, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(recall_turns, "POSTINGS_MAX", 1)
    found = await recall(said, query="colours of the exporter", kind="conversation")
    assert [memory.title for memory in found.memories] == [SAID[4].rstrip(".")]


async def test_words_that_nobody_said_find_nothing(said: KeptConversations):
    assert (await recall(said, query="xylophone", kind="conversation")).memories == []


@pytest.mark.parametrize("query", ["…", "\0", "\ud800", "' OR 1=1 --", '"', "*", "(" * 500, "日本語", "🦓", "a" * 2000])
async def test_no_query_is_a_bug(said: KeptConversations, query: str):
    assert (await recall(said, query=query, kind="conversation")).action == "view"


@pytest.mark.parametrize(
    ("request_", "is_asked"),
    [
        ({"kind": "conversation"}, True),
        ({"kind": "commit", "query": "x"}, True),
        ({"kind": "decision"}, False),
        ({"query": "x"}, False),
        ({"id": "t1234567"}, True),
        ({"id": "m1234567"}, False),
        ({"ids": ["t1234567", "C1234567"]}, True),
        ({"ids": ["t1234567", "m1234567"]}, False),
        ({"ids": ["t1234567"], "action": "purge"}, False),
        ({}, False),
    ],
)
def test_what_asks_for_turns_only(request_: dict, is_asked: bool):
    assert is_of_turns(Recall(**request_)) is is_asked


def test_what_an_id_of_a_turn_looks_like():
    assert [name for name in ("t1", " T1", "c1", "m1", "h12", "") if is_turn_id(name)] == ["t1", " T1", "c1"]


def row(seq: int, session: int | None = 1) -> memory_rows.Row:
    return memory_rows.Row(*[None] * len(memory_rows.Row._fields))._replace(seq=seq, session_id=session)


def test_of_turns_beside_each_other_the_best_is_kept():
    found = [row(5), row(6), row(4), row(8), row(7), row(6, 2), row(9, None), row(10, None)]
    assert [(each.seq, each.session_id) for each in exchanges(found)] == [
        (5, 1),
        (8, 1),
        (6, 2),
        (9, None),
        (10, None),
    ]


def test_behind_the_best_two_rows_each_is_of_another_session():
    found = [row(5), row(8), row(6, 2), row(11), row(9, None), row(9, 2), row(2, 3), row(10, None)]
    assert [(each.seq, each.session_id) for each in spread(found)] == [
        (5, 1),
        (8, 1),
        (6, 2),
        (9, None),
        (2, 3),
        (10, None),
    ]
