"""Finding, on both engines: phrases, neighbours, slices, and what is said when something is left out."""

import re
from dataclasses import replace

import pytest
from request_contexts import NOON_MS
from saved_turns import make_turns

from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.search.ranking import COVERED_WEIGHT, OWN_COVERED_SHARE, Ranked
from palimp_daemon.store.store import scope_rows
from palimp_daemon.store.tables.memory_links import NewLink, add
from palimp_daemon.store.tables.memory_rows import erase, in_scope, rows_by_seq, shown_id
from palimp_daemon.store.tables.search import memory_bounds, memory_search
from palimp_daemon.store.tables.search.memory_query import SearchRequest
from palimp_daemon.store.tables.search.memory_search import matching
from palimp_daemon.store.tables.search.successors import SUCCESSOR_SHARE
from palimp_daemon.store.tables.words.stem_counts import StemCounts
from palimp_protocol.messages.memory_messages import Recall, SaveMemory

pytestmark = pytest.mark.both_engines


def save(request_context, text: str, session: str = "s1", **more) -> str:
    return save_memory(request_context(session=session), SaveMemory(text=text, **more)).id


def found(request_context, query: str, **more):
    return recall(request_context(), Recall(query=query, **more))


def turns(request_context, query: str) -> dict[str, Ranked]:
    """What was found as turns of a conversation, in order, by shown id."""
    context = request_context()
    where = in_scope(scope_rows(context.store, context.caller, "project"))
    alive = where._replace(sql=f"{where.sql} AND m.deleted_at IS NULL")
    ranked = matching(context.store, SearchRequest(query, alive, 50, as_turns=True), context.now_ms).ranked
    rows = rows_by_seq(context.store, [each.seq for each in ranked])
    return {shown_id(row): each for row, each in zip(rows, ranked, strict=True)}


def ids(reply) -> list[str]:
    return [memory.id for memory in reply.memories]


def test_a_quoted_phrase_excludes_what_only_has_its_words(request_context):
    """In this order, side by side."""
    right = save(request_context, "The retry budget is three attempts.")
    save(request_context, "Three attempts, then retry; the budget is another matter.")

    assert ids(found(request_context, '"retry budget"')) == [right]
    assert ids(found(request_context, 'attempts "retry budget"')) == [right]


def test_a_phrase_that_nothing_contains_is_said(request_context):
    """What has some of its words is shown, with a note."""
    other = save(request_context, "The budget is large.")

    reply = found(request_context, '"retry budget"')

    assert ids(reply) == [other]
    assert 'Nothing contains "retry budget"' in reply.notes[0]
    assert found(request_context, '"quite unknown"').notes == []


def test_a_camel_case_name_is_found_by_its_parts_and_by_other_spellings(request_context):
    """And the parts are found by the name."""
    camel = save(request_context, "Call parseRequestBody first.", session="a")
    snake = save(request_context, "parse_request_body is slow.", session="b")

    assert set(ids(found(request_context, "request"))) == {snake, camel}
    assert set(ids(found(request_context, "parseRequestBody"))) == {camel, snake}
    assert set(ids(found(request_context, "parse_request_body"))) == {camel, snake}


def test_what_is_found_among_few_is_worth_something(request_context):
    """Though every word is common there: also of a single memory, and for a single word."""
    cents = save(request_context, "Money is stored as integer cents.", session="a")
    (alone,) = found(request_context, "cents", explain=True).memories
    save(request_context, "The mailbox is stored in a queue.", session="b")
    best, second = found(request_context, "money stored", explain=True).memories

    assert alone.score is not None
    assert alone.score > 0.2
    assert best.id == cents
    assert best.score is not None
    assert second.score is not None
    assert best.score > second.score > 0.2


def test_irregular_forms_meet(request_context):
    """Whichever was written and whichever is asked for."""
    chose = save(request_context, "We chose trio.", session="a")
    choose = save(request_context, "They choose asyncio.", session="b")

    for query in ("choose", "chosen", "chose"):
        assert set(ids(found(request_context, query))) == {chose, choose}


def test_short_and_long_forms_meet(request_context):
    """Whichever was written and whichever is asked for."""
    short = save(request_context, "The prod db is in Frankfurt.", session="a")
    long = save(request_context, "Production databases are backed up.", session="b")

    for query in ("database", "db", "prod", "production"):
        assert set(ids(found(request_context, query))) == {short, long}


def test_a_month_finds_what_was_saved_in_it(request_context):
    """The request contexts' clock stands in November 2025."""
    saved = save(request_context, "A text without a date.")

    assert ids(found(request_context, "what happened in November 2025?")) == [saved]


def test_a_day_finds_what_was_saved_on_it(request_context):
    """As it is written in a text about that day."""
    saved = save(request_context, "A text without a date.")

    assert ids(found(request_context, "the 2025-11-21 incident")) == [saved]
    assert ids(found(request_context, "the 2025-11-20 incident")) == []


@pytest.mark.parametrize(
    "name",
    [
        "black friday",
        "friday freeze",
        "red Friday",
        "casual friday dress code",
        "the friday of no return",
        "november rain",
        "schwarzer freitag",
        "vendredi saint",
        "viernes negro",
        "sexta-feira santa",
        "venerdì nero",
        "goede vrijdag",
        "黑色星期五",
        "金曜日の会議",
    ],
)
def test_a_weekday_or_month_in_a_name_is_a_word(request_context, name: str):
    """What was saved on that day, or in that month, is not about it. The request contexts' clock stands on a Friday."""
    others = [save(request_context, text) for text in ("The cache is Redis.", "Deploys are automatic.")]
    saved = save(request_context, f"What is called {name} has a page of its own.")
    save(request_context, "The logo is blue.")

    answer = recall(request_context(), Recall(query=name))
    assert [each.id for each in answer.memories][:1] == [saved]
    assert not {*others} & {each.id for each in answer.memories}
    assert answer.notes == []


@pytest.mark.parametrize("name", ["black friday", "november rain", "friday freeze"])
def test_a_name_that_nobody_wrote_finds_nothing_for_its_day(request_context, name: str):
    """Though all was saved on a Friday in November."""
    save(request_context, "The cache is Redis.")

    assert recall(request_context(), Recall(query=name)).memories == []


@pytest.mark.parametrize("asked", ["friday", "on friday", "last friday", "what did we decide friday", "since friday"])
def test_a_weekday_is_a_time_where_nothing_else_is_asked_or_the_words_say_so(request_context, asked: str):
    """The next day, which is a Saturday."""
    saved = save(request_context, "The cache is Redis.", kind="decision")
    tomorrow = replace(request_context(), now_ms=NOON_MS + 24 * 3_600_000)

    answer = recall(tomorrow, Recall(query=asked))
    assert [each.id for each in answer.memories] == [saved]
    assert any("2025-11-21" in note for note in answer.notes)


def test_the_words_of_a_title_are_said_too(request_context):
    """So a turn with one word in its title and one in its text has all that was asked for."""
    for number in range(20):
        save(request_context, f"Filler {number} about nothing in particular.")
    save(request_context, "Three attempts, then it gives up.", title="Retry budget")

    (why,) = (rank.why() for rank in turns(request_context, "retry attempts").values())
    words, covered = (float(part) for part in re.findall(r"([\d.]+) for (?:its words|how much of what was asked)", why))

    assert covered == pytest.approx(words * COVERED_WEIGHT * OWN_COVERED_SHARE, abs=0.01)


def test_what_a_session_says_within_three_memories_counts(request_context):
    """Whatever other sessions save in between; what it says further away does not."""
    restarts = []
    for session, between, text in (("near", 2, "It needs a restart."), ("far", 3, "A restart it needs.")):
        save(request_context, "The kafka consumer lags.", session=session)
        for number in range(between):
            save(request_context, f"A remark, number {number}.", session=session)
            save(request_context, f"Elsewhere, number {number}.", session="other")
        restarts.append(save(request_context, text, session=session))

    in_order = turns(request_context, "kafka restart")

    assert [each for each in in_order if each in restarts] == restarts


def context_of_two(request_context):
    """Two texts of the same words, one of them said just after the subject was named."""
    for number in range(20):
        save(request_context, f"Filler {number} about nothing in particular.", session=f"filler{number}")
    alone = save(request_context, "It takes 30 seconds with the new setting.", session="other")
    save(request_context, "We looked at the kafka consumer.", session="kafka")
    beside = save(request_context, "With the new setting it takes 30 seconds.", session="kafka")
    make_turns(request_context.store)
    return alone, beside


def test_what_was_said_before_counts(request_context):
    """The memory behind the one about kafka is about kafka."""
    _, beside = context_of_two(request_context)

    assert next(iter(turns(request_context, "kafka setting seconds"))) == beside


def test_a_memory_is_not_found_by_its_neighbours_words_alone(request_context):
    """They count for its rank only."""
    subject = save(request_context, "We looked at the kafka consumer.")
    save(request_context, "It takes 30 seconds.")

    reply = found(request_context, "kafka")

    assert ids(reply) == [subject]
    assert reply.total == 1


def words_part(request_context, memory_id: str) -> float:
    """What the words alone make of a memory's score."""
    why = turns(request_context, "kafka setting seconds")[memory_id].why()
    return float(why.split(" = ")[1].split(" for ")[0])


@pytest.mark.parametrize("how", ["purge", "delete", "edit"])
def test_neighbours_follow_what_happens_to_a_memory(request_context, how: str):
    """What is purged, deleted or changed counts for nobody any more; what is restored does again."""
    _, beside = context_of_two(request_context)
    with_it = words_part(request_context, beside)
    subject = found(request_context, "consumer").memories[0].id
    db = request_context.store.connection

    if how == "purge":
        recall(request_context(), Recall(ids=[subject], action="purge"))
    elif how == "delete":
        db.execute("DELETE FROM memories WHERE id >= ? AND id < ?", (subject, subject + "~"))
    else:
        db.execute("UPDATE memories SET content = 'other words' WHERE id >= ? AND id < ?", (subject, subject + "~"))

    assert words_part(request_context, beside) < with_it
    if how == "purge":
        recall(request_context(), Recall(ids=[subject], action="restore"))
        assert next(iter(turns(request_context, "kafka setting seconds"))) == beside


def test_common_words_only_order_when_there_are_rare_ones(request_context, monkeypatch: pytest.MonkeyPatch):
    """Beyond the bound on postings."""
    monkeypatch.setattr(memory_search, "POSTINGS_MAX", 3)
    for number in range(5):
        save(request_context, f"The common thing number {number}.", session=f"s{number}")
    for number in range(12):
        save(request_context, f"Something else {number}.", session=f"t{number}")
    plain = save(request_context, "A rare and other matter.", session="x")
    both = save(request_context, "A rare and common thing.", session="y")

    assert ids(found(request_context, "rare common thing")) == [both, plain]


def test_a_search_that_takes_too_long_says_what_it_left_out(request_context, monkeypatch: pytest.MonkeyPatch):
    """It answers with what was found among the newest."""
    monkeypatch.setattr(memory_search, "SLICE_POSTINGS", 2)
    monkeypatch.setattr(memory_search, "SEARCH_BUDGET_S", -1.0)
    saved = [save(request_context, f"The thing number {number}.", session=f"s{number}") for number in range(8)]

    reply = found(request_context, "thing")

    assert set(ids(reply)) == set(saved[-2:])
    assert "only the 2 newest of 8 were searched" in reply.notes[0]


def test_all_slices_together_find_what_one_would(request_context, monkeypatch: pytest.MonkeyPatch):
    """With time enough, nothing is left out, and the order is the same."""
    for number in range(9):
        save(request_context, "The thing " * (number % 4 + 1) + f"and number {number}.", session=f"s{number}")
    whole = found(request_context, "thing")

    monkeypatch.setattr(memory_search, "SLICE_POSTINGS", 2)
    monkeypatch.setattr(memory_search, "SEARCH_BUDGET_S", 60.0)

    assert ids(found(request_context, "thing")) == ids(whole)
    assert found(request_context, "thing").total == whole.total == 9


def test_frequencies_are_counted_again_when_the_store_has_grown(request_context):
    """A word that was new is known to be common later."""
    save(request_context, "The otter.")
    found(request_context, "otter")
    for number in range(30):
        save(request_context, f"Another otter {number}.", session=f"s{number}")
    found(request_context, "otter")

    assert request_context.store.state(StemCounts).known["otter"] >= 30


def test_a_word_that_was_nowhere_is_found_as_soon_as_it_is_stored(request_context):
    """That it was not found before is forgotten with the next write."""
    save(request_context, "an otter sleeps")
    before = found(request_context, "badger")

    save(request_context, "a badger digs")

    assert [before.total, found(request_context, "badger").total] == [0, 1]


@pytest.fixture
def common(request_context, monkeypatch: pytest.MonkeyPatch):
    """Forty memories that all hold `deploy` and `cluster`, where ten postings are many."""
    monkeypatch.setattr(memory_search, "POSTINGS_MAX", 12)
    monkeypatch.setattr(memory_search, "COMMON_POSTINGS", 10)
    monkeypatch.setattr(memory_search, "COMMON_ROWS", 4)
    monkeypatch.setattr(memory_search, "READ_MAX", 5)
    monkeypatch.setattr(memory_search, "READ_LEXICAL_MAX", 5)

    def save_in(project: str, number: int, **more) -> str:
        text = f"Deploy number {number} of the cluster."
        return save_memory(request_context(project, session=f"s{number // 3}"), SaveMemory(text=text, **more)).id

    return [
        [save_in("/work/old", number, kind="decision" if number < 2 else "note") for number in range(10)],
        [save_in("/work/new", number) for number in range(10, 40)],
    ]


def test_words_of_every_memory_are_looked_for_among_the_newest(request_context, common):
    """As many as it takes to fill the answer, and it says so."""
    reply = recall(request_context("/work/new"), Recall(query="deploy cluster", limit=5))

    assert set(ids(reply)) <= set(common[1][-12:])
    assert len(reply.memories) == 5
    assert reply.total < 30
    assert re.search(r"only the [\d,]+ newest of 30 were searched", reply.notes[0])


def test_words_of_every_memory_are_found_in_a_project_whose_memories_are_old(request_context, common):
    """What others saved since then is not in the way; nor is a kind that only the oldest are of."""
    reply = recall(request_context("/work/old"), Recall(query="cluster deploy", limit=10))
    decisions = recall(request_context("/work/old"), Recall(query="deploy", kind="decision"))

    assert sorted(ids(reply)) == sorted(common[0])
    assert sorted(ids(decisions)) == sorted(common[0][:2])


def test_a_rare_word_beside_those_of_every_memory_is_found_wherever_it_stands(request_context, common):
    """Then all of the index is read for it."""
    first = common[0][0]
    rare = recall(request_context("/work/old"), Recall(query="deploy decision 0 number cluster"))

    assert first in ids(rare)
    assert ids(recall(request_context("/work/new"), Recall(query="deploy 17 cluster")))[0] == common[1][7]


def test_words_of_a_day_are_looked_for_among_the_memories_of_that_day(request_context, common, monkeypatch):
    """What is found is what a search without bounds finds, in the same order."""
    days = {"since": "2025-11-20", "until": "2025-11-23"}
    old, new = request_context("/work/old"), request_context("/work/new")
    by_scores, by_time = Recall(query="number 7 cluster", **days), Recall(query="cluster deploy", **days)
    of_old, of_new = recall(old, by_scores), recall(new, by_time)

    monkeypatch.setattr(memory_bounds, "DATED_MAX", 0)

    assert ids(of_old)[0] == common[0][7]
    assert ids(of_old) == ids(recall(old, by_scores))
    assert ids(of_new) == ids(recall(new, by_time)) != []


def test_words_of_a_time_in_which_nothing_was_saved_find_nothing(request_context, common):
    """Wherever they stand otherwise."""
    reply = found(request_context, "number 7 cluster", since="2001-01-01", until="2001-02-01")

    assert reply.memories == []


@pytest.mark.parametrize(
    ("query", "lacks_name"),
    [
        ("Which broker does Kafka replace?", True),
        ("Which broker does MQTT replace?", False),
        ("Does the Apple Watch sync to the broker?", True),  # one memory says Apple, another watch
        ("Which broker does the Gateway replace?", False),
        ("which broker does kafka replace", False),
    ],
)
def test_a_proper_name_that_nothing_has_is_noticed(request_context, query: str, lacks_name: bool):
    save(request_context, "The gateway talks MQTT to the broker.")
    save(request_context, "Apple wants a notarized build of the broker.")
    save(request_context, "We watch the queue of the broker.")
    context = request_context()
    where = in_scope(scope_rows(context.store, context.caller, "project"))

    matches = matching(context.store, SearchRequest(query, where, 10), context.now_ms)

    assert len(matches.ranked) == 3
    assert matches.lacks_name is lacks_name


def test_what_was_counted_before_the_newest_were_erased_is_counted_anew(request_context):
    store = request_context().store
    for number in range(3):
        save(request_context, f"The gateway of place {number}.")
    assert len(ids(found(request_context, "gateway"))) == 3
    for row in rows_by_seq(store, [2, 3]):
        erase(store, row.seq, shown_id(row))
    assert len(ids(found(request_context, "gateway"))) == 1


def test_a_phrase_that_is_found_beside_a_slip_is_found(request_context):
    """What is told of the slip does not make the answer one that has the words only."""
    save(request_context, "The rate limit counts tokens of each tenant.")
    context = request_context()
    where = in_scope(scope_rows(context.store, context.caller, "project"))

    matches = matching(context.store, SearchRequest('"rate limit" tokns', where, 10, is_spelled=True), context.now_ms)

    assert any("tokens" in note for note in matches.notes)
    assert (len(matches.ranked), matches.is_loose) == (1, False)


def test_what_likely_replaces_two_of_the_best_stands_with_the_better(request_context):
    for text in ("The broker is Redis.", "The broker of jobs is Redis, and of mails.", "Everything runs on RabbitMQ."):
        save(request_context, text)
    context = request_context()
    where = in_scope(scope_rows(context.store, context.caller, "project"))
    scores = {rank.seq: rank.score for rank in matching(context.store, SearchRequest("broker", where, 10), 0).ranked}
    worse, better = sorted(scores, key=lambda seq: scores[seq])
    for older in (better, worse):
        add(context.store, NewLink(3, older, "replaces", "inferred"), 0)

    ranked = {rank.seq: rank.score for rank in matching(context.store, SearchRequest("broker", where, 10), 0).ranked}

    assert ranked[3] == pytest.approx(SUCCESSOR_SHARE * scores[better])


def test_who_names_an_identifier_is_not_shown_what_only_follows_the_memory_that_has_it(request_context):
    texts = [f"Session {number} of red noted fact 0 in word{number}x0." for number in range(4)]
    saved = [save(request_context, text, session=f"s{number}") for number, text in enumerate(texts)]
    assert ids(found(request_context, "word0x0")) == saved[:1]
