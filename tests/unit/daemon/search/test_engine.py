"""The two engines find the same, and no text makes them fail."""

from pathlib import Path

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lanes import examples
from request_contexts import RequestContexts
from saved_turns import make_turns

from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.search import engine as engines
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.sqlite_connection import StoreUnavailableError
from palimp_protocol.messages.memory_messages import Recall, SaveMemory

pytestmark = pytest.mark.both_engines


def titles(request_context, **request) -> list[str]:
    return [memory.title for memory in recall(request_context(), Recall(**request)).memories]


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("run", "The tests are running twice."),
        ("CONNECTION", "Keep the connections few."),
        ("naïve", "A naive wait stalls."),
        ("naive", "A naïve wait stalls."),
        ("getUserName", "Call getUserName first."),
        ("user_name", "The column user_name is unique."),
        ("name", "The column user_name is unique."),
        ("src/app/main.py", "The bug is in src/app/main.py today."),
        ("v2", "The api v2 is frozen."),
        ("straße", "Die Straße ist lang."),
        ("日本語", "The label is 日本語 here."),
        ("支付网关的请求最多可以重试几次?", "支付网关的请求最多重试三次,第四次之后对方会封禁。"),
        ("請求書はいつ作成しますか", "請求書は夜中の二時に作成する。"),
        ("запрет логов", "Номера карт в логах запрещены."),
        ("βάσεις", "Η βάση δεδομένων είναι μικρή."),
    ],
)
def test_a_word_is_found_in_its_other_forms(request_context, query: str, text: str):
    """Endings, case, accents and identifiers make no difference."""
    save_memory(request_context(), SaveMemory(text=text))

    assert len(titles(request_context, query=query)) == 1


def test_a_match_in_the_title_counts_more(request_context):
    """Of two equal texts the one that says it in the title comes first."""
    save_memory(
        request_context(), SaveMemory(text="Something about zebra and other animals in the park", title="Animals")
    )
    save_memory(request_context(), SaveMemory(text="Something about other animals in the park as such", title="Zebra"))
    for number in range(6):
        save_memory(
            request_context(), SaveMemory(text=f"Unrelated filler number {number} here", title=f"Filler {number}")
        )

    assert titles(request_context, query="zebra") == ["Zebra", "Animals"]


def test_a_rare_word_counts_more_than_a_common_one(request_context):
    """The memory with the rare word comes first."""
    for number in range(9):
        save_memory(request_context(), SaveMemory(text=f"The daemon has part {number}", title=f"Part {number}"))
    save_memory(request_context(), SaveMemory(text="The quokka is a part", title="Quokka"))

    assert titles(request_context, query="quokka part")[0] == "Quokka"


def test_changed_text_is_found_by_its_new_words_only(request_context):
    """The index follows the table."""
    save_memory(request_context(), SaveMemory(text="The old wording.", title="One"))
    request_context.store.connection.execute("UPDATE memories SET content = 'A fresh phrase.'")

    assert titles(request_context, query="wording") == []
    assert titles(request_context, query="fresh") == ["One"]


def test_deleted_rows_leave_the_index(request_context):
    """No ghost is found."""
    save_memory(request_context(), SaveMemory(text="Gone soon."))
    request_context.store.connection.execute("DELETE FROM memories")

    assert titles(request_context, query="gone") == []
    assert request_context.store.connection.execute(
        "SELECT count(*) FROM memories_fts WHERE memories_fts MATCH 'gone'"
    ).fetchall() == [(0,)]


def test_the_index_is_built_anew_for_another_engine(tmp_path: Path):
    """A database goes from one engine to the other and back without losing a match."""
    path = tmp_path / "palimp.db"
    for name in ("fts5", "fts4", "fts5"):
        store = open_store(path, name)
        if store.connection.execute("SELECT count(*) FROM memories").fetchall() == [(0,)]:
            store.connection.execute(
                "INSERT INTO memories (id, project_id, title, content, tags, kind, source, created_at)"
                " VALUES ('m1', 0, 'Título', 'Running tests', 'x y', 'note', 'manual', 1)"
            )
        for query in ('"titulo"', '"run"', '"y"'):
            hits, total = engines.search(
                store.connection, store.engine, engines.Expression(query), engines.Filter("1"), 5
            )
            assert total == 1 == len(hits)
        store.connection.close()


@pytest.mark.parametrize("in_context", [False, True])
@pytest.mark.parametrize("name", ["fts5", "fts4"])
def test_the_scores_of_some_memories_are_those_of_a_search(tmp_path: Path, name: str, in_context: bool):
    """And of those alone that say the word themselves, not only in what was said before."""
    search = engines.search_in_context if in_context else engines.search
    store = open_store(tmp_path / f"{name}.db", name)
    context = RequestContexts(store)
    for text in ("The zebra is here.", "After that came rain.", "A zebra, and another zebra.", "Nothing of that."):
        save_memory(context(), SaveMemory(text=text))
    make_turns(store)
    word = engines.Expression('"zebra"')
    hits, _ = search(store.connection, store.engine, word, engines.Filter("1"), 5)
    scores = engines.scores_of(store.connection, store.engine, word, [1, 2, 3, 4], in_context=in_context)
    assert scores == {hit.seq: hit.score for hit in hits}
    assert scores.keys() == {1, 3}
    assert engines.scores_of(store.connection, store.engine, word, [2, 3], in_context=in_context).keys() == {3}
    store.connection.close()


@pytest.mark.parametrize("name", ["fts5", "fts4"])
def test_what_was_said_before_counts_for_the_rank_of_a_turn_alone(tmp_path: Path, name: str):
    """A memory is written to be understood alone: the second one says no more of zebras for following the first."""
    store = open_store(tmp_path / f"{name}.db", name)
    context = RequestContexts(store)
    for session, text in (("s", "Zebra, zebra, zebra."), ("s", "A zebra in rain."), ("t", "A zebra in rain.")):
        save_memory(context(session=session), SaveMemory(text=text, kind="note" if session == "s" else "finding"))
    for number in range(6):
        save_memory(context(session="t"), SaveMemory(text=f"A gate in sun number {number}."))
    word, every = engines.Expression('"zebra"'), engines.Filter("1")

    alone, _ = engines.search(store.connection, store.engine, word, every, 5)
    counted = engines.frequencies_of(store.connection, store.engine, ["zebra"])
    make_turns(store)
    in_context, _ = engines.search_in_context(store.connection, store.engine, word, every, 5)

    assert [hit.seq for hit in alone] == [1, 3, 2]
    assert alone[1].score == alone[2].score
    assert counted == {"zebra": 3}
    assert [hit.seq for hit in in_context] == [1, 2, 3]
    assert in_context[1].score > in_context[2].score
    store.connection.close()


def test_both_engines_rank_alike(tmp_path: Path):
    """A word counts by its column, by how often it stands in any, and by how long all of them are together."""
    rows = [
        ("zebra herd", "the park has a zebra and a zebra foal", ""),
        ("lions sleep", "the zebra was seen once this week in the park", "park"),
        ("quiet week", "nothing happened at the gate, no zebra came", "zebra"),
        ("gate", "the gate is closed", ""),
        ("park rules", "dogs are kept on a lead and bread is not for ducks in the park " * 3, "park"),
        *((f"day {number}", "the keeper wrote that it rained again", "") for number in range(20)),
    ]
    scores: dict[str, list[engines.Hit]] = {}
    for name in ("fts5", "fts4"):
        store = open_store(tmp_path / f"{name}.db", name)
        store.connection.executemany(
            "INSERT INTO memories (id, project_id, title, content, tags, kind, source, created_at)"
            " VALUES (random(), 0, ?, ?, ?, 'note', 'manual', 1)",
            rows,
        )
        expression = engines.Expression('"zebra" OR "park" OR "gate" OR "duck"')
        scores[name], _ = engines.search(store.connection, store.engine, expression, engines.Filter("1"), 9)
        store.connection.close()

    assert [hit.seq for hit in scores["fts4"]] == [hit.seq for hit in scores["fts5"]]
    # FTS4 knows averages as whole numbers, and in how many rows a word stands for each column only.
    for four, five in zip(scores["fts4"], scores["fts5"], strict=True):
        assert four.score == pytest.approx(five.score, rel=0.15)


OWN = {
    "fts5": "-bm25(memories_fts, 2, 1, 1, 1, 0) + 0 * ?",
    "fts4": "palimp_own_hits(matchinfo(memories_fts, 'x'), ?)",
}
"""Above 0 for a memory that holds a word itself."""


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(40))
@given(
    said=st.lists(st.lists(st.sampled_from(["zebra", "park", "gate", "duck", "rain"]), min_size=1), max_size=12),
    words=st.sets(st.sampled_from(["zebra", "park", "gate", "duck", "rain", "snow"]), min_size=1),
    limit=st.integers(1, 12),
)
def test_reading_the_index_twice_ranks_as_one_statement_does(
    request_context, said: list[list[str]], words: set[str], limit: int
):
    """Who holds a word is looked for first, and only they are ranked: that changes no place, score or count."""
    store = request_context.store
    store.connection.execute("DELETE FROM memories")
    for each in said:  # one session: what was said before is in the index, too
        save_memory(request_context(), SaveMemory(text=" ".join(each)))
    make_turns(store)
    match = " OR ".join(f'"{word}"' for word in sorted(words))

    hits, total = engines.search_in_context(
        store.connection, store.engine, engines.Expression(match), engines.Filter("1"), limit
    )

    expected = store.connection.execute(
        f"SELECT seq, score FROM (SELECT m.seq AS seq, {store.engine.score} AS score FROM memories_fts"
        f" JOIN memories m ON m.seq = memories_fts.{store.engine.key} WHERE memories_fts MATCH ?"
        f" AND {OWN[store.engine.name]} > 0 LIMIT -1) ORDER BY score DESC, seq DESC",
        (match, 0),
    ).fetchall()
    assert hits == expected[:limit]
    assert total == len(expected)


def test_fts4_takes_over_where_fts5_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """With the module taken away from SQLite, `auto` chooses FTS4 and everything is still found."""
    original = apsw.Connection

    def without_fts5(*arguments, **named):
        connection = original(*arguments, **named)
        connection.drop_modules(["fts4", "fts3", "fts3tokenize", "fts4aux"])
        return connection

    monkeypatch.setattr(apsw, "Connection", without_fts5)
    path = tmp_path / "palimp.db"

    store = open_store(path, "auto")

    assert store.engine.name == "fts4"
    store.connection.execute(
        "INSERT INTO memories (id, project_id, title, content, tags, kind, source, created_at)"
        " VALUES ('m1', 0, 't', 'found by stems', '', 'note', 'manual', 1)"
    )
    assert engines.search(store.connection, store.engine, engines.Expression('"stem"'), engines.Filter("1"), 5)[1] == 1
    store.connection.close()
    with pytest.raises(StoreUnavailableError, match="no full-text engine 'fts5'"):
        open_store(path, "fts5")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(60))
@given(query=st.text(max_size=80))
def test_no_text_makes_a_search_fail(request_context, query: str):
    """Any text without a NUL is a query."""
    recall(request_context(), Recall(query=query.replace("\0", "")))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(60))
@given(text=st.text(min_size=1, max_size=80).filter(lambda text: text.strip() and "\0" not in text))
def test_any_text_can_be_saved_and_shown(request_context, text: str):
    """And its snippet holds nothing but its words and the marks."""
    saved = save_memory(request_context(), SaveMemory(text=text))

    (memory,) = recall(request_context(), Recall(id=saved.id, detail="compact")).memories
    plain = memory.snippet.strip("…")

    assert " ".join(text.split()).startswith(plain[:20]) or plain in " ".join(text.split())


def test_words_are_cut_and_folded_alike(request_context):
    """Without accents, in lower case, stemmed, identifiers cut."""
    words = request_context.store.engine.tokenize(request_context.store.connection, "Ünïcode running_fast ok")

    assert words == ["unicod", "run", "fast", "ok"]
