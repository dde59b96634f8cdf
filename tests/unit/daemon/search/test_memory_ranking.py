"""The order of memories that were found."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.search.memory_ranking import (
    ORDERED_MAX,
    Candidate,
    MemoryRank,
    Odds,
    Time,
    Word,
    best_of,
    by_date,
    by_relevance,
    complete_first,
    in_time,
    is_identifier,
    newest_first,
    word_weight,
)
from palimp_daemon.search.version_words import version_terms

WEIGHTS = {"celery": 3.0, "broker": 2.0, "now": 0.5}
QUERY = [Word(weight, {stem: weight}, stem) for stem, weight in WEIGHTS.items()]


def candidate(seq: int, counts: dict[str, int] | None = None, cosine: float | None = 0.0, *, day: int = 0) -> Candidate:
    return Candidate(seq, counts or {}, 100 if counts else 0, None, cosine, day)


def rank(seq: int, score: float, created_at: int = 0) -> MemoryRank:
    return MemoryRank(seq, score, score, 0.0, created_at)


def order(ranks: list[MemoryRank]) -> list[int]:
    return [each.seq for each in ranks]


def test_what_has_more_of_the_telling_words_comes_first() -> None:
    found = by_relevance([candidate(1, {"now": 3}), candidate(2, {"celery": 1, "broker": 1})], QUERY)
    assert order(found) == [2, 1]


def test_a_word_that_no_memory_has_counts_as_missing() -> None:
    celery = Word(3.0, {"celery": 3.0})
    all_known = by_relevance([candidate(1, {"celery": 1})], [celery])
    one_unknown = by_relevance([candidate(1, {"celery": 1})], [celery, Word(5.0, {"kafka": 5.0})])
    assert one_unknown[0].words < all_known[0].words


def test_the_meaning_finds_what_is_said_in_other_words() -> None:
    found = by_relevance([candidate(1, {"now": 1}, 0.05), candidate(2, cosine=0.6)], QUERY)
    assert order(found) == [2, 1]


def test_a_negative_cosine_is_no_worse_than_none() -> None:
    assert by_relevance([candidate(1, cosine=-0.4)], QUERY)[0].score == 0


def test_of_equals_the_newer_comes_first() -> None:
    found = by_relevance([candidate(1, {"celery": 1}, day=1), candidate(2, {"celery": 1}, day=2)], QUERY)
    assert order(found) == [2, 1]


def test_a_text_that_was_not_read_is_ranked_by_the_index() -> None:
    unread = Candidate(1, {}, 0, 2.75, 0.0, 0)
    assert by_relevance([unread], QUERY)[0].words == 0.5


def test_the_rarer_a_word_the_more_it_says_and_a_word_of_all_still_something() -> None:
    weights = [word_weight(count, 100) for count in (0, 1, 10, 100)]
    assert weights == sorted(weights, reverse=True)
    assert weights[-1] > 0
    assert word_weight(101, 100) == 0  # the counts are of a moment ago


def test_what_likely_replaces_another_stands_before_it() -> None:
    found = newest_first([rank(1, 1.0, 10), rank(2, 0.8, 20)], Odds({(2, 1): 1.0}))
    assert order(found) == [2, 1]
    assert found[0].replaces == (1,)
    assert found[1].replaces == ()


def test_what_hardly_answers_does_not_pass_what_does() -> None:
    assert order(newest_first([rank(1, 1.0, 10), rank(2, 0.1, 20)], Odds({(2, 1): 1.0}))) == [1, 2]


def test_what_is_not_likely_to_replace_stays_behind() -> None:
    assert order(newest_first([rank(1, 1.0, 10), rank(2, 0.9, 20)], Odds({(2, 1): -8.0}))) == [1, 2]
    assert order(newest_first([rank(1, 1.0, 10), rank(2, 0.9, 20)], Odds({}))) == [1, 2]


def test_of_a_chain_the_newest_comes_first_and_the_oldest_last() -> None:
    ranks = [rank(1, 1.0, 10), rank(2, 0.9, 20), rank(3, 0.85, 30)]
    found = newest_first(ranks, Odds({(2, 1): 2.0, (3, 2): 2.0}))
    assert order(found) == [3, 2, 1]


def test_an_older_memory_passes_nothing() -> None:
    assert order(newest_first([rank(1, 1.0, 20), rank(2, 0.9, 10)], Odds({(2, 1): 5.0}))) == [1, 2]


def test_only_the_best_are_put_in_the_order_of_what_holds() -> None:
    ranks = [rank(seq, 1.0, seq) for seq in range(1, ORDERED_MAX + 2)]
    assert order(newest_first(ranks, Odds({(ORDERED_MAX + 1, 1): 9.0}))) == order(ranks)


def test_a_slip_counts_by_what_it_stands_for() -> None:
    query = [Word(3.0, {"celrey": 5.0, "celery": 2.4})]
    found = by_relevance([candidate(1, {"celery": 1}), candidate(2, {"broker": 1})], query, has_slips=True)
    assert order(found) == [1, 2]
    assert 0 < found[0].words < 1


def test_of_what_stands_for_a_word_the_best_counts_once() -> None:
    query = [Word(3.0, {"photo": 3.0, "picture": 1.5})]
    both = by_relevance([candidate(1, {"photo": 1, "picture": 1})], query)
    one = by_relevance([candidate(1, {"photo": 1})], query)
    assert both[0].words == one[0].words


def test_the_latest_comes_first_of_what_answers_well() -> None:
    ranks = [rank(1, 1.0, 10), rank(2, 0.9, 30), rank(3, 0.1, 99)]
    assert order(by_date(ranks, is_newest_first=True)) == [2, 1, 3]
    assert order(by_date(ranks, is_newest_first=False)) == [1, 2, 3]


def test_what_answers_six_tenths_as_well_as_the_best_is_put_in_the_order_of_dates() -> None:
    ranks = [rank(5, 2.0, 10), rank(2, 1.2, 30), rank(3, 1.19, 99), rank(4, 0.5, 98)]
    assert order(by_date(ranks, is_newest_first=True)) == [2, 5, 3, 4]
    assert order(by_date(ranks, is_newest_first=False)) == [5, 2, 3, 4]
    assert by_date([], is_newest_first=True) == []


SOME = MemoryRank(0, 1.0, 1.0, 0.0, 0, frozenset(), 0.75)
"""A memory that has some of the words that were asked for."""


@pytest.mark.parametrize(
    ("newer", "older", "odds", "is_first"),
    [
        (SOME._replace(words=0.05), SOME, -1.0, True),
        (SOME._replace(words=0.04), SOME, 1.9, False),
        (SOME._replace(words=0.04), SOME, 2.0, True),
        (SOME._replace(words=0.04), SOME._replace(covered=1.0), 2.0, False),
        (SOME._replace(words=0.04), SOME._replace(words=0.04), -1.0, True),
        (SOME._replace(words=0.04), SOME._replace(words=0.05), -1.0, False),
        (SOME._replace(covered=0.25), SOME, -0.1, True),
        (SOME._replace(covered=0.24), SOME, -0.1, False),
        (SOME._replace(covered=0.24), SOME, 0.0, True),
        (SOME, SOME._replace(names=frozenset({"staging"})), 5.0, False),
        (SOME._replace(names=frozenset({"staging", "eu"})), SOME._replace(names=frozenset({"staging"})), -1.0, True),
    ],
)
def test_what_likely_replaces_another_comes_first_if_it_has_as_much_of_what_was_asked(
    newer: MemoryRank, older: MemoryRank, odds: float, is_first: bool
) -> None:
    """A word of it at least, half of what the other has more, and every name, unless the odds are high."""
    found = [older._replace(seq=1, created_at=10), newer._replace(seq=2, created_at=20)]
    assert order(newest_first(found, Odds({(2, 1): odds}))) == ([2, 1] if is_first else [1, 2])


def test_what_held_at_a_time_comes_before_what_was_saved_later() -> None:
    ranks = [rank(3, 1.0, 30), rank(1, 0.9, 10), rank(2, 0.8, 20)]
    held = in_time(ranks, Time(held_at=25), lambda _: Odds({(2, 1): 2.0, (3, 2): 2.0}))
    assert order(held) == [2, 1, 3]


def test_who_asks_for_the_past_gets_what_answers_best() -> None:
    ranks = [rank(1, 1.0, 10), rank(2, 0.9, 20)]
    assert order(in_time(ranks, Time(is_past=True), lambda _: Odds({(2, 1): 5.0}))) == [1, 2]


RANKS = st.lists(st.tuples(st.floats(0, 20), st.integers(0, 50)).map(lambda each: rank(0, *each)), max_size=14).map(
    lambda ranks: [each._replace(seq=number) for number, each in enumerate(ranks)]
)


@given(RANKS, st.dictionaries(st.tuples(st.integers(0, 14), st.integers(0, 14)), st.floats(-20, 20)))
def test_nothing_is_lost_or_repeated_and_time_never_runs_in_circles(
    ranks: list[MemoryRank], odds: dict[tuple[int, int], float]
) -> None:
    assert sorted(order(newest_first(ranks, Odds(odds)))) == list(range(len(ranks)))


@given(
    st.lists(
        st.builds(
            Candidate,
            st.integers(1, 9),
            st.dictionaries(st.sampled_from(sorted(WEIGHTS)), st.integers(1, 9)),
            st.integers(0, 2_000),
            st.one_of(st.none(), st.floats(0, 30)),
            st.none() | st.floats(-1, 1),
            st.integers(0, 2**45),
        )
    )
)
def test_any_memories_can_be_ranked(candidates: list[Candidate]) -> None:
    found = by_relevance(candidates, QUERY)
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)
    assert all(math.isfinite(each.score) for each in found)
    assert len(by_relevance(candidates, [])) == len(candidates)


def test_a_memory_without_a_vector_is_taken_to_mean_what_its_words_let_expect():
    """It stands where it would with a usual vector, and before what has fewer of the words, if that is no nearer."""
    known = [candidate(1, {"now": 1}, 0.5), candidate(2, cosine=0.3), candidate(3, cosine=0.1)]
    with_all, with_none = candidate(4, dict.fromkeys(WEIGHTS, 1), None), candidate(5, {}, None)

    ranks = {rank.seq: rank for rank in by_relevance([*known, with_all, with_none], QUERY)}

    assert [*ranks][:2] == [4, 1]
    assert ranks[4].meaning == ranks[1].meaning
    assert ranks[5].meaning == ranks[2].meaning
    assert ranks[4].is_expected
    assert not ranks[1].is_expected


def test_of_a_long_question_the_one_with_most_of_its_words_is_taken_to_mean_most():
    """No memory has all words of it; nobody waits for a vector to be found by half of them."""
    question = [*QUERY, *(Word(6.0, {word: 6.0}, word) for word in ("need", "change"))]
    without_vector = candidate(1, {"celery": 1, "broker": 1}, None)
    near = [candidate(seq, {"broker": 1}, seq / 20) for seq in range(2, 12)]
    assert order(by_relevance([without_vector, *near], question))[0] == 1


def test_where_nothing_has_a_vector_a_meaning_is_worth_nothing():
    [rank] = by_relevance([candidate(1, {"celery": 1}, None)], QUERY)
    assert (rank.meaning, rank.is_expected) == (0.0, True)


def test_what_answers_equally_well_stands_in_the_order_of_its_text():
    """And not of its saving."""
    one, other = (candidate(1, {"celery": 1})._replace(text=text) for text in "ab")
    for saved in ([one, other._replace(seq=2, created_at=9)], [other, one._replace(seq=2, created_at=9)]):
        texts = {each.seq: each.text for each in saved}
        assert [texts[rank.seq] for rank in by_relevance(saved, QUERY)] == ["a", "b"]


def test_what_has_all_words_stands_before_what_is_nearer():
    all_words = MemoryRank(1, 0.4, 0.4, 0.0, 0, covered=1.0)
    nearer = MemoryRank(2, 2.0, 0.5, 1.5, 0, covered=0.5)
    assert complete_first([nearer, all_words]) == [all_words, nearer]


def test_the_last_row_yields_to_an_identifier_that_none_before_it_has():
    """Of a number that is not said: many texts have it by chance."""
    ranks = [rank(seq, 1.0) for seq in range(4)]
    named, numbered = (rank(seq, 0.1)._replace(names=frozenset({name})) for seq, name in ((5, "authx9917"), (6, "30")))
    shown = [best_of([*ranks, numbered, named], limit) for limit in (1, 3, 6)]
    assert [[each.seq for each in rows] for rows in shown] == [[5], [0, 1, 5], [0, 1, 2, 3, 6, 5]]
    assert best_of([named, *ranks], 2) == [named, ranks[0]]
    assert best_of([], 3) == []


@pytest.mark.parametrize(
    ("name", "is_one"),
    [("authx9917", True), ("parse invoice", True), ("30", False), ("1200", False), (version_terms("1.2.3")[0], False)],
)
def test_an_identifier_is_no_number(name: str, is_one: bool):
    assert is_identifier(name) == is_one


def test_a_name_is_had_with_all_of_its_words():
    """`test_regression.py` is not every test."""
    name = frozenset({"test regression py"})
    query = [Word(1.0, {stem: 1.0}, stem, name) for stem in ("test", "regress", "py")]
    other, it = by_relevance(
        [candidate(1, {"test": 2, "py": 1}), candidate(2, {"test": 1, "regress": 1, "py": 1})], query
    )[::-1]
    assert (other.seq, other.names) == (1, frozenset())
    assert (it.seq, it.names) == (2, name)


def test_a_proper_name_is_lacked_without_one_of_its_words() -> None:
    """What was not read but found by its words may have it; what was found by its meaning alone does not."""
    name = frozenset({"Apple Watch"})
    query = [Word(1.0, {stem: 1.0}, stem, proper=name) for stem in ("appl", "watch")]
    query.append(Word(1.0, {"sync": 1.0}, "sync"))
    unread = Candidate(3, {}, 0, 2.0, 0.0, 0)
    candidates = [candidate(1, {"watch": 1}), candidate(2, {"appl": 1, "watch": 1}), unread, candidate(4, cosine=0.5)]
    lacks = {rank.seq: rank.lacks for rank in by_relevance(candidates, query)}
    assert lacks == {1: name, 2: frozenset(), 3: frozenset(), 4: name}
