"""How much a memory bears on a prompt, and which of those that do are given."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.search.prompt_need import (
    GIVEN_MAX,
    LEXICAL_WEIGHTS,
    SAID_MAX,
    SEMANTIC_WEIGHTS,
    Bearing,
    Prompt,
    PromptCandidate,
    bearing,
    bound_of,
    needed_bearings,
    not_replaced,
)

PROMPT = Prompt({"tailwind": 1.0, "page": 0.4}, frozenset({"tailwind", "page"}), 0.0, is_foreign=False)


def found(seq: int = 1, words: frozenset[str] = frozenset(), cosine: float = 0.0) -> PromptCandidate:
    return PromptCandidate(seq, words, words, cosine)


def bears(seq: int, score: float) -> Bearing:
    return Bearing(seq, score, 0.0, 0.0, 0.0)


def test_shared_words_the_part_of_its_own_words_and_nearness_add_up():
    words = frozenset({"tailwind", "style", "out", "ruled", "page"})
    its = bearing(PROMPT, found(1, words, 0.5), SEMANTIC_WEIGHTS, {"page"})

    assert its.said == pytest.approx(1.4)
    assert its.subject == pytest.approx(1.4 / 8)
    assert its.score == pytest.approx(7.0 * 0.5 + 1.4 + 2.0 * 1.4 / 8)


def test_of_many_shared_words_some_count():
    words = {f"word{number}": 1.0 for number in range(20)}
    prompt = PROMPT._replace(words=words, stems=frozenset(words))

    assert bearing(prompt, found(1, frozenset(words)), LEXICAL_WEIGHTS, ()).said == SAID_MAX


def test_the_bound_is_higher_for_who_only_reads_and_for_other_languages():
    weights = SEMANTIC_WEIGHTS

    assert bound_of(PROMPT, weights) == weights.bound
    assert bound_of(PROMPT._replace(reading=1.0), weights) == pytest.approx(weights.bound + weights.reading)
    assert bound_of(PROMPT._replace(is_foreign=True), weights) == pytest.approx(weights.bound + weights.foreign)


def test_the_bound_is_higher_among_more_memories_and_not_lower_among_few():
    few, usual, many = (bound_of(PROMPT, SEMANTIC_WEIGHTS, memories) for memories in (3, 65, 6_500))

    assert few == usual == bound_of(PROMPT, SEMANTIC_WEIGHTS)
    assert many > usual


def test_nothing_is_given_where_the_best_bears_too_little():
    assert needed_bearings([], 1.0, SEMANTIC_WEIGHTS) == []
    assert needed_bearings([bears(1, 0.9)], 1.0, SEMANTIC_WEIGHTS) == []


def test_what_bears_nearly_as_much_as_the_best_is_given_too_but_few():
    near = [bears(1, 5.0), bears(2, 4.0), bears(3, 3.4), bears(4, 3.3)]

    assert [each.seq for each in needed_bearings(near, 5.0, SEMANTIC_WEIGHTS)] == [1, 2]
    assert len(needed_bearings([bears(seq, 5.0) for seq in range(9)], 5.0, SEMANTIC_WEIGHTS)) == GIVEN_MAX


def test_what_another_one_likely_replaced_is_not_given():
    both = [bears(1, 5.0), bears(2, 4.0)]

    assert not_replaced(both, {(2, 1): -1.9}, -2.0) == [both[1]]
    assert not_replaced(both, {(2, 1): -2.1}, -2.0) == both
    assert not_replaced(both, {}, -2.0) == both


@given(st.lists(st.floats(0, 20)), st.floats(0, 20))
def test_whatever_is_given_is_near_a_best_that_reaches_the_bound(scores: list[float], bound: float):
    bearings = [bears(seq, score) for seq, score in enumerate(sorted(scores, reverse=True))]
    given_ones = needed_bearings(bearings, bound, SEMANTIC_WEIGHTS)

    assert given_ones == bearings[: len(given_ones)]
    assert not given_ones or given_ones[0].score >= bound
    assert all(each.score >= given_ones[0].score - SEMANTIC_WEIGHTS.near_best for each in given_ones)
