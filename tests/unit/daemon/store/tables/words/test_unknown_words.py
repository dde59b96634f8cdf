"""Words that nobody wrote are tried with those of the project that they may stand for, on both engines."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lanes import examples

from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.runtime.sql import rows
from palimp_daemon.search.engine import Filter, Hit
from palimp_daemon.search.english import is_english
from palimp_daemon.search.plan import Plan
from palimp_daemon.search.spelling import one_edit_away
from palimp_daemon.store.tables.search.memory_query import SearchRequest
from palimp_daemon.store.tables.search.memory_search import matching
from palimp_daemon.store.tables.words import unknown_words
from palimp_daemon.store.tables.words.unknown_words import discount_hits, try_neighbours
from palimp_protocol.messages.memory_messages import Recall, SaveMemory

pytestmark = pytest.mark.both_engines

TEXTS = [
    "The webhook gateway retries three times before it gives up.",
    "Deployments of the checkout service wait for the migration.",
    "The revision of the board has a status LED.",
    "Kubernetes restarts the executor pods at midnight.",
    "The dataset cache is configured per environment.",
    "Ночное развертывание сервиса происходит автоматически.",
    "Die Überprüfung der Datenbank läuft nachts.",
    "データベースの接続は三回まで再試行する。",
]
WORDS = ["webhook", "gateway", "retries", "deployments", "checkout", "service", "migration", "revision", "status"]
WORDS += ["kubernetes", "executor", "midnight", "dataset", "configured", "environment"]
FEW = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(60), deadline=None)


@pytest.fixture
def saved(request_context) -> list[str]:
    """The ids of TEXTS, each in a session of its own."""
    return [
        save_memory(request_context(session=f"s{number}"), SaveMemory(text=text)).id
        for number, text in enumerate(TEXTS)
    ]


def found(request_context, query: str):
    reply = recall(request_context(), Recall(query=query))
    return [memory.id for memory in (*reply.memories, *reply.unrelated)], reply.notes


@pytest.mark.parametrize(
    ("query", "place", "note"),
    [
        ("webhok", 0, '"webhok" is not known here; searched "webhook" too.'),
        ("wich gatway", 0, '"gatway" is not known here; searched "gateway" too.'),
        ("deploymnet", 1, '"deploymnet" is not known here; searched "deployments" too.'),
        ("revison", 2, '"revison" is not known here; searched "revision" too.'),
        ("ukbernetes", 3, '"ukbernetes" is not known here; searched "kubernetes" too.'),
        ("datasetcache", 4, '"datasetcache" is not known here; searched "dataset cache" too.'),
        ("check out", 1, '"check out" may be one word; searched "checkout" too.'),
        ("развертвание", 5, '"развертвание" is not known here; searched "развертывание" too.'),
        ("ueberpruefung", 6, '"ueberpruefung" is not known here; searched "überprüfung" too.'),
        ("webhok_gateway", 0, '"webhok" is not known here; searched "webhook" too.'),
    ],
)
def test_a_word_spelled_wrong_finds_what_the_right_one_does(request_context, saved, query: str, place: int, note: str):
    """And the answer says what was searched."""
    ids, notes = found(request_context, query)

    assert ids[:1] == [saved[place]]
    assert note in notes


@FEW
@given(word=st.sampled_from(WORDS), data=st.data())
def test_any_one_edit_behind_the_first_letter_finds_the_word(store, request_context, word: str, data: st.DataObject):
    """Unless it makes another word."""
    if not found(request_context, "webhook")[0]:
        for number, text in enumerate(TEXTS):
            save_memory(request_context(session=f"s{number}"), SaveMemory(text=text))
    slips = {each for each in one_edit_away(word) if each[:1] == word[:1] and len(each) >= 6 and not is_english(each)}
    slip = data.draw(st.sampled_from(sorted(slips)))
    (right, *_), _ = found(request_context, word)

    assert right in found(request_context, slip)[0]


@FEW
@given(query=st.text(max_size=60))
def test_no_text_of_any_script_raises(store, query: str):
    """Whatever is asked."""
    matching(store, SearchRequest(query, Filter("1"), 5, is_spelled=True), 0)


@pytest.mark.parametrize(
    "query",
    [
        "webhook gateway",
        "data-base v2 3.11",
        "house",
        "データベズ",
        "abc",
        "qqqqqqq",
        "was ist mit der revue",
        "the teh",
    ],
)
def test_nothing_is_said_where_nothing_was_tried(request_context, saved, query: str):
    """Known words, short ones, ones with digits, English ones, those of other scripts and languages."""
    assert found(request_context, query)[1] == []


def test_what_two_letters_in_the_other_order_make_is_tried_alone(request_context, saved):
    """Another neighbour weighs hardly less, and is no reason to go through the words of the index."""
    save_memory(request_context(), SaveMemory(text="The kubernetsq image is a fork."))

    assert found(request_context, "kubernetse")[1] == [
        '"kubernetse" is not known here; searched "kubernetes" too.',
    ]
    assert '"kubernetsq"' in "".join(found(request_context, "kubernetsw")[1])


def test_a_word_of_another_project_is_no_neighbour(request_context):
    """Nothing is said of what stands there."""
    save_memory(request_context("/work/two"), SaveMemory(text="The codename is zanzibar."))
    own = save_memory(request_context(), SaveMemory(text="Here is something else.")).id

    assert found(request_context, "something zanzibra") == ([own], [])


def test_a_purged_memory_makes_no_neighbour(request_context, saved):
    """As long as it is purged."""
    recall(request_context(), Recall(ids=[saved[0]], action="purge"))

    assert found(request_context, "webhok status") == ([saved[2]], [])


def test_what_was_saved_a_moment_ago_is_a_neighbour(request_context, saved):
    """Nothing is remembered of the vocabulary."""
    assert found(request_context, "throtling") == ([], [])
    new = save_memory(request_context(), SaveMemory(text="Throttling starts at ten requests.")).id

    assert found(request_context, "throtling")[0] == [new]


def test_a_neighbour_that_does_not_select_takes_nothing_from_a_score(store, request_context, saved):
    """It has no part in it; one that selects alone is all of it."""
    [slip] = try_neighbours(store, "webhok", ["webhok"], Filter("1"), len(TEXTS))
    hits = [Hit(1, 2.0), Hit(2, 1.0)]
    plan = Plan(selecting=["status"], ordering=["webhook"], required=[], idf={}, postings=1)
    assert discount_hits(store, hits, [slip], plan, in_context=False) == hits
    alone = plan._replace(selecting=["webhook"], ordering=[])
    weight = slip.neighbours[0].weight
    assert discount_hits(store, hits, [slip], alone, in_context=False) == [Hit(1, weight * 2.0), Hit(2, weight)]
    both = plan._replace(selecting=["status", "webhook"], ordering=[])
    changed = {hit.seq: hit.score for hit in discount_hits(store, hits, [slip], both, in_context=False)}
    assert changed[1] < 2.0
    assert changed[2] == 1.0


def test_a_hit_by_the_word_itself_counts_more(request_context):
    """Than one by its neighbour."""
    texts = (
        "The gateway answers.",
        "The bridge answers.",
        *(f"Filler {number} about nothing." for number in range(20)),
    )
    gateway, bridge, *_ = [save_memory(request_context(session=text), SaveMemory(text=text)).id for text in texts]

    assert found(request_context, "gatewy bridge")[0] == [bridge, gateway]
    assert found(request_context, "gateway brigde")[0] == [gateway, bridge]


def test_words_are_tried_only_where_that_is_asked_for(store, request_context, saved):
    """Prompts are not."""
    assert matching(store, SearchRequest("webhok", Filter("1"), 5), 0).ranked == []


@pytest.mark.parametrize("newest", [10, 10_000, 1_000_000])
def test_however_many_memories_there_are_a_slip_is_found(store, request_context, saved, newest: int):
    """Among fewer words at a time, and what an edit of their first letters makes by name."""
    for slip, word in (
        ("gatewya", "gateway"),
        ("gtaeway", "gateway"),
        ("agteway", "gateway"),
        ("kubernets", "kubernetes"),
    ):
        (each,) = try_neighbours(store, slip, [slip], Filter("1"), newest)
        assert [neighbour.word for neighbour in each.neighbours] == [word]


def test_memories_that_hold_a_neighbour_are_asked_for_by_their_numbers(request_context, saved, monkeypatch):
    """SQLite may well go through all memories instead: a third of a second where they are a million."""
    asked: list[tuple[str, tuple[object, ...]]] = []

    def noted(connection, statement, values=()):
        asked.append((statement, tuple(values)))
        return rows(connection, statement, values)

    monkeypatch.setattr(unknown_words, "rows", noted)
    context = request_context()
    where = Filter("m.project_id IN (1) AND m.deleted_at IS NULL", ())
    assert try_neighbours(context.store, "webhok", ["webhok"], where, len(saved))
    [(statement, values)] = [each for each in asked if "content" in each[0]][:1]
    plan = [row[-1] for row in rows(context.store.connection, f"EXPLAIN QUERY PLAN {statement}", values)]
    steps = [step for step in plan if step.split()[0] in ("SCAN", "SEARCH") and step.split()[1] in ("m", "found")]
    assert [step.split()[:2] for step in steps] == [["SCAN", "found"], ["SEARCH", "m"]], plan
    assert "INTEGER PRIMARY KEY" in steps[1]
