"""recall: one operation to search, view, purge and restore."""

import pytest
from msgspec import UNSET

from palimp_daemon.codediff.diff import Hunk
from palimp_daemon.features.memories.recall import check_request, recall
from palimp_daemon.features.memories.save import draft, new_memory, save_memory
from palimp_daemon.store.store import ensure_project
from palimp_daemon.store.tables.memory_rows import insert
from palimp_daemon.store.tables.removed_code.change_rows import Change, insert_change
from palimp_daemon.store.tables.search.signatures import insert_signatures
from palimp_daemon.store.tables.team_heard import set_authors
from palimp_daemon.text.redact import Redactor
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.memory_messages import Recall, SaveMemory


@pytest.fixture
def saved(request_context):
    """Four memories of one project and their ids by name."""
    texts = {
        "cents": SaveMemory(
            text="Money is stored as integer cents. Floats lost one.", kind="decision", tags=["ledger"]
        ),
        "flaky": SaveMemory(text="The checkout test is flaky at midnight.", kind="fix", tags=["ledger", "tests"]),
        "tabs": SaveMemory(text="The user prefers tabs.", kind="preference"),
        "ports": SaveMemory(text="Port 8080 is taken by the proxy.", title="Ports in use"),
    }
    return {name: save_memory(request_context(), request).id for name, request in texts.items()}


def ids(reply) -> list[str]:
    return [memory.id for memory in reply.memories]


def test_nothing_given_lists_the_most_recent(request_context, saved):
    """Newest first, with the total."""
    reply = recall(request_context(), Recall(limit=2))

    assert ids(reply) == [saved["ports"], saved["tabs"]]
    assert reply.total == 4
    assert all(memory.score is None for memory in reply.memories)


def test_a_search_ranks_marks_and_counts(request_context, saved):
    """The words are marked, and the query is echoed; a score is for whoever asks why."""
    reply = recall(request_context(), Recall(query="is the money stored in floats?"))

    assert ids(reply)[0] == saved["cents"]
    assert reply.memories[0].snippet == "**Floats** lost one."
    assert reply.memories[0].line.endswith("**Floats** lost one.")
    assert reply.memories[0].score is None
    assert recall(request_context(), Recall(query="money", explain=True)).memories[0].score is not None
    assert reply.query == '"is the money stored in floats?"'
    assert reply.total == len(reply.memories) == 1


@pytest.mark.parametrize("query", ["which fixes are there?", "our bugs", "fixes", "welche Fehler gibt es?"])
def test_a_question_for_nothing_but_a_kind_lists_it(request_context, saved, query: str):
    """Nothing says these words, and whoever asks wants all of that kind."""
    reply = recall(request_context(), Recall(query=query))

    assert ids(reply) == [saved["flaky"]]
    assert reply.notes == ["Only a kind is asked for: fix, newest first."]


@pytest.mark.parametrize("query", ["our fixes of the cache", "which summaries are there?", "summaries"])
def test_a_kind_with_a_subject_or_without_a_memory_is_searched_for(request_context, saved, query: str):
    assert not recall(request_context(), Recall(query=query)).memories


def test_a_memory_that_says_the_words_of_a_kind_is_found_by_them(request_context, saved):
    said = save_memory(request_context(), SaveMemory(text="Our fixes page is slow.", kind="finding")).id

    assert ids(recall(request_context(), Recall(query="our fixes"))) == [said]


def test_an_empty_result_stays_empty(request_context, saved):
    """It never falls back to the most recent."""
    assert recall(request_context(), Recall(query="kubernetes")).memories == []


@pytest.mark.parametrize(
    ("request_", "names"),
    [
        (Recall(kind="fix"), ["flaky"]),
        (Recall(tags=["ledger"]), ["flaky", "cents"]),
        (Recall(tags=["Ledger", "tests"]), ["flaky"]),
        (Recall(tags=["ledg"]), []),
        (Recall(title="ports IN"), ["ports"]),
        (Recall(title="100%"), []),
        (Recall(query="stored taken", kind="decision"), ["cents"]),
        (Recall(query="port", title="in use"), ["ports"]),
        (Recall(kind="summary"), []),
    ],
)
def test_filters_narrow(request_context, saved, request_: Recall, names: list[str]):
    """Kind, tags and title, alone and with a query; also what is probably unrelated."""
    reply = recall(request_context(), request_)
    assert [memory.id for memory in (*reply.memories, *reply.unrelated)] == [saved[name] for name in names]


@pytest.mark.parametrize("name", ["Ángel", "ÖRG", "מיכל", "ana 🐨", "STRASSE-ß"])
def test_titles_authors_and_clients_are_found_as_they_are_written(request_context, name: str):
    """In letters that Python and SQLite make small differently, too."""
    saved = save_memory(request_context(), SaveMemory(text="Deploys are on Mondays.", title=f"By {name}"))
    save_memory(request_context(), SaveMemory(text="Retries stop at three."))
    set_authors(request_context.store, [(1, "r1", name)])
    request_context.store.execute("UPDATE sessions SET client = ?", (name,))
    for asked in (Recall(title=name), Recall(author=f" {name} "), Recall(query="deploys", author=name)):
        assert ids(recall(request_context(), asked)) == [saved.id]
    assert len(ids(recall(request_context(), Recall(client=name)))) == 2
    assert ids(recall(request_context(), Recall(author="nobody"))) == ids(recall(request_context(), Recall(client="x")))


def test_an_id_shows_the_whole_text(request_context, saved):
    """By its shown prefix, by its full form and however it is typed."""
    (full,) = request_context.store.connection.execute("SELECT id FROM memories WHERE seq = 1").fetchall()[0]
    for name in (saved["cents"], full, full.upper(), f" {full} "):
        reply = recall(request_context(), Recall(id=name))
        assert reply.detail == "full"
        assert reply.memories[0].content == "Money is stored as integer cents. Floats lost one."


def test_compact_rows_have_no_content(request_context, saved):
    """The whole text is left out unless it is asked for."""
    assert recall(request_context(), Recall(query="tabs")).memories[0].content is UNSET
    assert (
        recall(request_context(), Recall(query="tabs", detail="full")).memories[0].content == "The user prefers tabs."
    )


def test_unknown_ids_are_named_one_by_one(request_context, saved):
    """Those that are known are shown all the same."""
    reply = recall(request_context(), Recall(ids=["zzz", saved["tabs"], "m9"]))

    assert ids(reply) == [saved["tabs"]]
    assert [line.split(":")[0] for line in reply.unknown] == ["zzz", "m9"]


@pytest.mark.parametrize("name", ["not an id!", "Ports in use", "каталог-7", "m1-2"])
def test_what_cannot_be_an_id_is_said_to_be_none(request_context, saved, name):
    [said] = recall(request_context(), Recall(id=name)).unknown
    assert said == f"{name}: not an id; search for a title or words"


def test_purged_ones_come_first_in_a_list_that_has_them(request_context):
    """Page by page, so that they can be found to restore them."""
    texts = [f"Number {number} of all" for number in range(9)]
    all_ids = [save_memory(request_context(), SaveMemory(text=text)).id for text in texts]
    purged = [all_ids[0], all_ids[4]]
    recall(request_context(), Recall(ids=purged, action="purge"))

    order = [all_ids[4], all_ids[0], *(one for one in reversed(all_ids) if one not in purged)]
    pages = [recall(request_context(), Recall(include_purged=True, limit=4, offset=at)) for at in (0, 4, 8)]
    assert [one for page in pages for one in ids(page)] == order
    assert {page.total for page in pages} == {9}
    assert ids(recall(request_context(), Recall(include_purged=True, limit=1))) == [all_ids[4]]


def test_an_ambiguous_id_lists_its_candidates(request_context, saved):
    """With their titles, so that the next call can choose."""
    (line,) = recall(request_context(), Recall(id="m")).unknown

    assert "ambiguous" in line
    assert saved["cents"] in line
    assert "Ports in use" in line


def test_purge_hides_and_restore_brings_back(request_context, saved):
    """Both need ids, both can be repeated without harm."""
    purged = recall(request_context(), Recall(ids=[saved["cents"], saved["tabs"]], action="purge"))
    again = recall(request_context(), Recall(ids=[saved["cents"]], action="purge"))

    assert set(ids(purged)) == {saved["cents"], saved["tabs"]}
    assert again.memories == []
    assert again.unchanged == [saved["cents"]]
    assert recall(request_context(), Recall(query="cents")).memories == []
    assert ids(recall(request_context(), Recall(query="cents", include_purged=True))) == [saved["cents"]]
    assert "purged" in recall(request_context(), Recall(id=saved["cents"])).unknown[0]

    restored = recall(request_context(), Recall(ids=[saved["cents"]], action="restore"))

    assert ids(restored) == [saved["cents"]]
    assert ids(recall(request_context(), Recall(query="cents"))) == [saved["cents"]]
    assert recall(request_context(), Recall(ids=[saved["cents"]], action="restore")).unchanged == [saved["cents"]]


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        (Recall(action="purge"), "purge needs explicit ids"),
        (Recall(action="restore", query="x"), "restore needs explicit ids"),
        (Recall(ids=["m1"], query="x"), "cannot be combined with a search (query)"),
        (Recall(id="m1", tags=["x"]), "cannot be combined with a search (tags)"),
        (Recall(id="m1", ids=["m2"]), "both given"),
        (Recall(ids=[]), "the list is empty"),
    ],
)
def test_contradictions_are_refused(request_: Recall, said: str):
    """With the way to do it right."""
    with pytest.raises(PalimpError) as refused:
        check_request(request_)

    assert refused.value.code is ErrorCode.BAD_REQUEST
    assert said in refused.value.text
    assert refused.value.hint


def test_a_timeline_shows_what_stood_beside_a_hit(request_context, saved):
    """Oldest first, each memory once, the hits marked."""
    reply = recall(request_context(), Recall(query="flaky", detail="timeline"))

    assert [(moment.memory.id, moment.is_hit) for moment in reply.timeline] == [
        (saved["cents"], False),
        (saved["flaky"], True),
        (saved["tabs"], False),
    ]
    assert reply.total == 1


def test_projects_do_not_see_one_another(request_context, saved):
    """Not by search, not by id, not by scope=all, and they cannot purge one another's memories."""
    mine = save_memory(request_context("/work/two"), SaveMemory(text="Money is counted twice here.")).id

    for request in (Recall(query="money"), Recall(query="money", scope="all"), Recall(include_purged=True)):
        assert ids(recall(request_context("/work/two"), request)) == [mine]
    assert recall(request_context("/work/two"), Recall(id=saved["cents"])).memories == []
    assert recall(request_context("/work/two"), Recall(ids=[saved["cents"]], action="purge")).memories == []
    assert recall(request_context("/work/three"), Recall(query="money")).total == 0


def test_the_global_scope_is_searched_too_unless_it_is_left_out(request_context, saved):
    """scope=project leaves it out, global has nothing else, all has both; by id it is always found."""
    everywhere = save_memory(request_context(None), SaveMemory(text="Money advice for all projects.")).id

    assert ids(recall(request_context(), Recall(query="money", scope="project"))) == [saved["cents"]]
    assert set(ids(recall(request_context(), Recall(query="money")))) == {everywhere, saved["cents"]}
    assert ids(recall(request_context(), Recall(query="money", scope="global"))) == [everywhere]
    assert set(ids(recall(request_context(), Recall(query="money", scope="all")))) == {everywhere, saved["cents"]}
    assert ids(recall(request_context(), Recall(id=everywhere))) == [everywhere]


def test_explain_says_why(request_context, saved):
    """Each row tells its words that match, and its score."""
    (memory,) = recall(request_context(), Recall(query="tabs", explain=True)).memories

    assert memory.why == "All words match: tabs. Score 1.00."


def test_explain_tells_what_the_time_in_the_question_did(request_context):
    save_memory(request_context(), SaveMemory(text="The wishlist is kept for a year."))
    for query, said in (
        ("what did we note about the wishlist today?", "Saved in the time asked for."),
        ("how long did we keep the wishlist formerly?", "The question is about the past"),
        ("the latest note on the wishlist", "the newest stands first."),
    ):
        (memory,) = recall(request_context(), Recall(query=query, explain=True)).memories
        assert said in memory.why


def test_explain_tells_that_a_row_stands_for_one_that_it_replaced(request_context):
    old = save_memory(request_context(), SaveMemory(text="Retries of the exporter are capped at three.")).id
    new = save_memory(request_context(), SaveMemory(text="Five attempts, then it stops.", replaces=[old])).id
    (memory,) = recall(request_context(), Recall(query="retries exporter capped", explain=True)).memories
    assert memory.id == new
    assert memory.why.startswith(f"In place of {old}, which it replaced and which was found. All words match: Retries")


def test_a_query_without_words_says_so(request_context, saved):
    """It is answered with a note and with no rows."""
    reply = recall(request_context(), Recall(query="?!"))

    assert reply.memories == []
    assert "no words" in reply.notes[0]


def stored_as_before(request_context, text: str, times: int) -> None:
    """Store *text* several times, as versions did that did not look for the same text."""
    for _ in range(times):
        there, memory = request_context(), draft(Redactor(), SaveMemory(text=text))
        project = ensure_project(there.store, there.caller, there.now_ms)
        seq, _ = insert(there.store, new_memory(there, project, memory), there.random)
        insert_signatures(there.store, [(seq, memory.entries)])


@pytest.mark.parametrize("query", ["lanterns", None], ids=["searched", "listed"])
@pytest.mark.parametrize("times", [2, 12, 300])
def test_an_answer_lists_nothing_twice(request_context, query: str | None, times: int):
    """Whatever the number of memories that say exactly the same, the others have their places."""
    for number in range(8):
        save_memory(request_context(), SaveMemory(text=f"Lanterns are lit by crew number {number}, at dusk."))
    stored_as_before(request_context, "Lanterns lanterns: lit at dusk.", times)

    reply = recall(request_context(), Recall(query=query, limit=10))

    assert sorted(memory.title for memory in reply.memories) == sorted({memory.title for memory in reply.memories})
    assert len(reply.memories) == reply.total == 9
    left_out = times - 1
    said = "says exactly the same is" if left_out == 1 else "say exactly the same are"
    assert reply.notes == [f"{left_out} more that {said} not repeated."]


@pytest.mark.parametrize("limit", [1, 3, 7, 50])
@pytest.mark.parametrize("runs", [(1, 5, 1, 12, 2), (20,), (1, 1, 1, 9), (4, 1, 4, 1, 4)])
def test_the_pages_of_a_list_hold_every_text_and_no_memory_twice(request_context, limit: int, runs: tuple[int, ...]):
    """However often an old store says the same, and wherever: the next page begins where the one before ended."""
    for number, times in enumerate(runs):
        stored_as_before(request_context, f"Lanterns are lit by crew number {number}.", times)
    total = sum(runs)

    pages = [recall(request_context(), Recall(offset=first, limit=limit)) for first in range(0, total + limit, limit)]

    ids = [memory.id for page in pages for memory in page.memories]
    assert len(ids) == len(set(ids))
    assert len({memory.title for page in pages for memory in page.memories}) == len(runs)
    assert {page.total for page in pages} == {total}
    for page in pages:
        titles = [memory.title for memory in page.memories]
        assert len(titles) == len(set(titles))


@pytest.mark.parametrize("detail", ["compact", "full"])
def test_texts_that_differ_in_anything_are_all_listed(request_context, detail):
    """In case, in a number, in the indentation of a line."""
    texts = ["Lanterns: lit", "lanterns: lit", "Lanterns: lit 1", "Lanterns:\n  lit", "Lanterns:\n lit"]
    for text in texts:
        save_memory(request_context(), SaveMemory(text=text))

    assert recall(request_context(), Recall(query="lanterns", detail=detail)).total == len(texts)


def test_ids_of_memories_and_of_removed_code_are_viewed_together(request_context):
    memory = save_memory(request_context(), SaveMemory(text="Retries are capped.")).id
    context = request_context()
    project = ensure_project(context.store, context.caller, context.now_ms)
    hunk = Hunk("a.py", 1, ("retry(delay=2, most=5)",), (), (False,))
    insert_change(context.store, project, Change("too slow", context.now_ms, "Edit"), [hunk])

    reply = recall(request_context(), Recall(ids=["h1 ", memory, "h9", "m0000000"]))

    assert [each.id for each in reply.memories] == ["h1", memory]
    assert [name.split(":")[0] for name in reply.unknown] == ["m0000000", "h9"]


def test_words_that_no_memory_of_the_kind_has_are_answered_without_an_empty_line(request_context):
    save_memory(request_context(), SaveMemory(text="The latest decisions are in the minutes.", kind="note"))
    reply = recall(request_context(), Recall(query="the latest decisions"))
    assert len(reply.memories) == 1
    assert all(reply.notes)


def test_what_was_before_something_is_what_was_saved_before_it_was_named(request_context):
    """The answer says how it was read; where nothing has the name it is a question like another."""
    texts = (
        "The warehouse is Redshift, two nodes.",
        "We move to Snowflake, for the mornings.",
        "Snowflake warehouse of the developers: size XS.",
        "The Snowflake warehouse of production is called TRANSFORM_WH.",
    )
    saved = [save_memory(request_context(), SaveMemory(text=text)).id for text in texts]

    reply = recall(request_context(), Recall(query="What was our warehouse before Snowflake?"))
    assert reply.memories[0].id == saved[0]
    assert reply.notes[0].startswith("Before Snowflake: what was saved before 202")

    reply = recall(request_context(), Recall(query="What was our warehouse before BigQuery?"))
    assert reply.notes == []
    assert {each.id for each in reply.memories} >= {saved[0]}


@pytest.mark.parametrize("said", ["gethttpresponse", "GetHttpResponse", "getHTTPResponse"])
@pytest.mark.parametrize("asked", ["getHTTPResponse", "gethttpresponse"])
def test_a_name_in_camel_case_is_answered_by_it_in_one_word(request_context, said: str, asked: str):
    """It has the parts that were asked for, though it does not show them."""
    saved = save_memory(request_context(), SaveMemory(text=f"The client calls {said} with a deadline of two seconds"))

    assert [each.id for each in recall(request_context(), Recall(query=asked)).memories] == [saved.id]


SINCE = [
    "Since when do berths go through Mooringo?",
    "Seit wann gibt es Mooringo für berths?",
    "Depuis quand utilise-t-on Mooringo pour les berths ?",
    "¿Desde cuándo usamos Mooringo para berths?",
    "いつから Mooringo を使う",
    "从什么时候开始用 Mooringo",
]


@pytest.mark.parametrize("query", SINCE)
def test_since_when_is_answered_first_by_the_oldest_that_says_as_much(request_context, query: str):
    for number, text in enumerate(
        (
            "Oakhook is out, Mooringo in: berths are booked by phone.",
            "Berths: Mooringo sends lists in batches.",
            "Mooringo is the way to berths from now on, Mooringo alone.",
        )
    ):
        save_memory(request_context(session=f"s{number}"), SaveMemory(text=text))
    answer = recall(request_context(session="asking"), Recall(query=query))
    first, *_ = *answer.memories, *answer.unrelated
    assert first.title.startswith("Oakhook")


def test_since_when_of_what_nothing_says_stays_unanswered(request_context):
    save_memory(request_context(), SaveMemory(text="Berths are booked by phone."))
    assert not recall(request_context(), Recall(query="since when do we translate manuals into Finnish")).memories


def test_an_empty_list_of_ids_beside_a_search_is_none(request_context):
    """Some models fill each argument; nothing is purged by it."""
    save_memory(request_context(), SaveMemory(text="Retries are capped."))
    found = recall(request_context(), check_request(Recall(query="retries", ids=[])))
    assert [each.title for each in found.memories] == ["Retries are capped"]
    with pytest.raises(PalimpError, match="needs explicit ids"):
        check_request(Recall(query="retries", ids=[], action="purge"))
