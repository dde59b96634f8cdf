"""The same memories answer a question alike in whatever order and sessions they were saved."""

import hashlib
import random
import tempfile
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from lanes import examples, size
from request_contexts import RequestContexts

from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.search.memory_ranking import ODDS_MIN
from palimp_daemon.store.ids import shown_of
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables import vector_rows
from palimp_daemon.store.tables.memory_statements import statements_of
from palimp_daemon.store.tables.search.memory_order import odds_between
from palimp_daemon.store.tables.vector_rows import QueryVector
from palimp_protocol.limits import RECALL_ROWS_MAX
from palimp_protocol.messages.memory_messages import Recall, SaveMemory

SUBJECTS = [
    "otters sleep on their backs",
    "Rechnungen gehen montags raus",
    "le cache vit dix minutes",
    "деплой идёт через шлюз",
    "请求限流每分钟六十次",
    "キャッシュは一時間有効",
    "로그는 삼십일 보관",
    "المفاتيح تدور كل شهر",
    "Builds run on Node 22",
    "parse_invoice rounds half up",
    "AUTHX9917 means the token was revoked",
    "money is kept in integer cents",
    "the queue is drained before a deploy",
    "Redis keeps sessions",
    "tests need a frozen clock",
]
WORDS = [
    "queue",
    "deploy",
    "cache",
    "token",
    "invoice",
    "clock",
    "шлюз",
    "Prüfung",
    "sessions",
    "AUTHX9917",
    "invoices",
]

TEXTS = st.sampled_from(SUBJECTS) | st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)
QUERIES = st.lists(st.sampled_from([*SUBJECTS, *WORDS, "kafka", "where"]), min_size=1, max_size=4).map(" ".join)


class Answer(NamedTuple):
    """An answer as who asked sees it."""

    texts: Sequence[str]
    scores: Sequence[float | None]
    is_silent: bool


@contextmanager
def stored(texts: Sequence[str], sessions: Sequence[str], embedded: AbstractSet[str]) -> Iterator[RequestContexts]:
    """Yield contexts of a store in which *texts* were saved in this order; those that are *embedded* have vectors."""
    with tempfile.TemporaryDirectory(prefix="palimp-test-") as folder:
        store = open_store(Path(folder) / "palimp.db", "auto")
        contexts = RequestContexts(store)
        for text, session in zip(texts, sessions, strict=True):
            save_memory(contexts(session=session), SaveMemory(text=text))
        vector_rows.insert(store, [(seq, meaning(text)) for seq, text in saved_in(store).items() if text in embedded])
        yield contexts
        store.connection.close()


def saved_in(store: Store) -> dict[int, str]:
    return dict(store.connection.execute("SELECT seq, content FROM memories").fetchall())


def meaning(text: str) -> bytes:
    """Return a vector of *text*: that of one more of the same words lies nearer."""
    summed = [0] * 384
    for word in text.lower().split():
        chance = random.Random(hashlib.sha256(word.encode()).digest())
        summed = [each + chance.randint(-9, 9) for each in summed]
    return bytes(max(-127, min(127, each)) % 256 for each in summed)


def answer(contexts: RequestContexts, query: str, *, is_semantic: bool, limit: int = RECALL_ROWS_MAX) -> Answer:
    """Return what *query* is answered with."""
    context = replace(contexts(), query_vectors=(QueryVector(meaning(query)),) if is_semantic else ())
    found = recall(context, Recall(query=query, limit=limit, detail="full", explain=True))
    ids = context.store.connection.execute("SELECT id, content FROM memories").fetchall()
    texts = {shown_of(memory_id): text for memory_id, text in ids}
    rows = [*found.memories, *found.unrelated]
    return Answer([texts[row.id] for row in rows], [row.score for row in rows], not found.memories)


def which_may_change_places(store: Store, *, is_semantic: bool) -> set[str]:
    """Return the texts of memories that a newer one likely replaces, and of these."""
    texts = saved_in(store)
    odds = odds_between(store, statements_of(store, list(texts)), is_semantic=is_semantic)
    least = ODDS_MIN
    return {texts[seq] for pair, known in odds.items() if known >= least for seq in pair}


@settings(max_examples=examples(40))
@given(st.data(), st.lists(TEXTS, min_size=1, max_size=size(50), unique=True), QUERIES, st.booleans())
def test_the_same_memories_answer_alike_in_whatever_order_and_sessions_they_were_saved(
    data: st.DataObject, texts: list[str], query: str, is_semantic: bool
) -> None:
    """Where nothing replaces another, all of it is the same; where something does, silence and scores are.

    Then the pair changes places. The newer one may stand beside what it replaces though it was not found itself; of
    the three rows that nothing answers with, it may take the last one's place.
    """
    embedded = data.draw(st.sets(st.sampled_from(texts))) if is_semantic else set[str]()
    answers: list[Answer] = []
    moving: set[str] = set()
    for _ in range(2):
        order = data.draw(st.permutations(texts))
        session = st.sampled_from(data.draw(st.sampled_from(["1", "123"])))
        sessions = data.draw(st.lists(session, min_size=len(texts), max_size=len(texts)))
        with stored(order, sessions, embedded) as contexts:
            answers.append(answer(contexts, query, is_semantic=is_semantic))
            moving |= which_may_change_places(contexts.store, is_semantic=is_semantic and bool(embedded))

    one, other = answers
    assert one.is_silent == other.is_silent
    scores, others = (dict(zip(*each[:2], strict=True)) for each in answers)
    in_one_alone = scores.keys() ^ others.keys()
    if not moving:
        assert one.texts == other.texts
    elif not one.is_silent:
        assert in_one_alone <= moving
    same = [text for text in scores if text not in in_one_alone]
    assert [scores[text] for text in same] == pytest.approx([others[text] for text in same])
    assert [text for text in same if text not in moving] == [
        text for text in others if text in same and text not in moving
    ]


@settings(max_examples=examples(25))
@given(st.data(), st.lists(TEXTS, min_size=1, max_size=size(50), unique=True), QUERIES, st.booleans())
def test_how_many_rows_are_asked_for_decides_nothing_else(
    data: st.DataObject, texts: list[str], query: str, is_semantic: bool
) -> None:
    """Fewer rows are the first of more, and silence is the same."""
    embedded = data.draw(st.sets(st.sampled_from(texts))) if is_semantic else set[str]()
    with stored(texts, ["1"] * len(texts), embedded) as contexts:
        most = answer(contexts, query, is_semantic=is_semantic)
        for limit in (1, 2, 3, 4, 10):
            fewer = answer(contexts, query, is_semantic=is_semantic, limit=limit)
            assert fewer.is_silent == most.is_silent
            assert fewer.scores[: limit - 1] == pytest.approx(most.scores[: len(fewer.scores[: limit - 1])])
            assert len(fewer.texts) == min(limit, len(most.texts))


@settings(max_examples=examples(25))
@given(st.lists(TEXTS, min_size=1, max_size=size(50), unique=True), QUERIES)
@example(
    ["otters sleep on their backs", "le cache vit dix minutes"],
    "otters sleep on their backs Rechnungen gehen montags raus",
)
def test_while_no_vector_is_made_a_question_is_answered_as_by_words_alone(texts: list[str], query: str) -> None:
    with stored(texts, ["1"] * len(texts), frozenset()) as contexts:
        assert answer(contexts, query, is_semantic=True) == answer(contexts, query, is_semantic=False)


def test_what_alone_has_an_identifier_is_found_before_it_has_a_vector() -> None:
    """Though others are as near as can be."""
    queries = ["AUTHX9917", '"AUTHX9917"', "what is AUTHX9917", "AUTHX9917 token clock queue"]
    others = [f"token clock queue {number}" for number in range(60)]
    with stored([*others, "AUTHX9917: see the vault"], ["1"] * 61, frozenset(others)) as contexts:
        for query, limit in product(queries, [1, 5, 50]):
            found = answer(contexts, query, is_semantic=True, limit=limit)
            assert "AUTHX9917: see the vault" in found.texts, (query, limit)
            assert not found.is_silent, (query, limit)
