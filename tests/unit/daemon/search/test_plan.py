"""Which terms select, and which only order."""

from palimp_daemon.search.plan import POSTINGS_MAX, inverse_frequency, plan_of, unknown_terms, with_neighbours
from palimp_daemon.search.terms import Query
from palimp_protocol.limits import QUERY_WORDS_MAX


def plan(terms: dict[str, int], required: dict[str, int] | None = None):
    both = {**terms, **(required or {})}
    stems = {term: term.split() for term in both}
    frequencies = {stem: count for term, count in both.items() for stem in term.split() if count}
    return plan_of(Query(list(terms), list(required or {})), stems, frequencies, 100_000)


def test_words_that_nobody_used_are_left_out():
    """They can match nothing."""
    assert plan({"known": 3, "unknown": 0}).selecting == ["known"]


def test_the_rarest_words_of_many_are_kept_in_their_order():
    """A pasted text is searched for by its rarest words."""
    chosen = plan({f"word{number}": 1_000 - number for number in range(100)}).selecting

    assert chosen == [f"word{number}" for number in range(100 - QUERY_WORDS_MAX, 100)]


def test_common_words_order_what_rare_words_select():
    """Once all together would be too many postings."""
    found = plan({"the_common": POSTINGS_MAX, "rare": 10})

    assert (found.selecting, found.ordering) == (["rare"], ["the_common"])
    assert plan({"common": POSTINGS_MAX - 10, "rare": 10}).ordering == []


def test_one_common_word_alone_selects():
    """There is nothing rarer."""
    assert plan({"common": POSTINGS_MAX * 2}).selecting == ["common"]


def test_a_required_phrase_selects_and_every_word_counts():
    """The phrase bounds what is read."""
    found = plan({"common": POSTINGS_MAX * 2}, {"rare phrase": 5})

    assert (found.selecting, found.ordering, found.postings) == (["common"], [], 5)


def test_rare_words_weigh_more():
    """And none weighs nothing."""
    assert inverse_frequency(1, 1_000) > inverse_frequency(100, 1_000) > inverse_frequency(900, 1_000) > 0


def test_words_that_no_memory_holds_are_unknown():
    """But for a name that is looked for by its parts."""
    query = Query(["gatway", "retries", "getuser", "get user"], [])
    stems = {"gatway": ["gatwai"], "retries": ["retri"], "getuser": ["getus"], "get user": ["get", "user"]}

    assert unknown_terms(query, stems, {"retri": 2}) == ["gatway"]


def test_neighbours_stand_behind_the_word_they_are_tried_for():
    """So that words side by side still are."""
    query = with_neighbours(Query(["gatway", "check"], []), {"gatway": ["gateway"], "check out": ["checkout"]})

    assert query.terms == ["gatway", "gateway", "check", "checkout"]


def test_a_word_of_more_memories_than_there_are_weighs_as_the_most_common():
    """They may have been erased since they were counted."""
    assert inverse_frequency(12, 5) == inverse_frequency(5, 5)
