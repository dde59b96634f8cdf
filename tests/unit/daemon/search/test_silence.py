"""When nothing that was found answers."""

import math
from collections.abc import Sequence
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.search import silence
from palimp_daemon.search.memory_ranking import COVERED, MemoryRank
from palimp_daemon.search.silence import (
    COMPARED,
    NAMED,
    NEAR_MEANING,
    NEAR_WORDS,
    REPORT_WORDS,
    Features,
    is_certain,
    is_near,
    may_answer,
)


def rank(words: float, meaning: float = 0.0) -> MemoryRank:
    return MemoryRank(1, words + meaning, words, meaning, 0)


def answers(ranks: Sequence[MemoryRank], asked_words: int, *, lacks_name: bool = False, is_semantic: bool) -> bool:
    return silence.answers(ranks, asked_words, lacks_name=lacks_name, is_semantic=is_semantic)


def features_of(ranks: Sequence[MemoryRank], asked_words: int) -> Features:
    return silence.features_of(ranks, asked_words, lacks_name=False)


def test_a_memory_with_the_words_answers_and_one_with_hardly_any_does_not() -> None:
    assert answers([rank(0.9), rank(0.1)], 4, is_semantic=False)
    assert not answers([rank(0.1)] * COMPARED, 3, is_semantic=False)


def test_a_near_meaning_answers_without_words() -> None:
    assert answers([rank(0.1, 3.0)], 4, is_semantic=True)
    assert not answers([rank(0.1, 0.8)] * COMPARED, 3, is_semantic=True)


def test_among_more_memories_the_nearest_must_be_nearer_to_answer() -> None:
    """The best of many is nearer by chance; what has the words answers among any number."""
    found = [rank(0.3, 2.6), *[rank(0.1, 1.0)] * COMPARED]
    among = partial(silence.answers, found, 4, lacks_name=False, is_semantic=True)

    assert among()
    assert among(memories=3)
    assert not among(memories=1_000_000)
    assert silence.answers([rank(0.9)._replace(covered=0.9)], 4, lacks_name=False, is_semantic=True, memories=10**6)


def test_of_a_long_question_a_small_part_is_enough() -> None:
    found = [rank(0.3), rank(0.1)]
    assert answers(found, 12, is_semantic=False)
    assert not answers(found, 3, is_semantic=False)


def test_what_stands_out_more_likely_answers() -> None:
    assert features_of([rank(0.5)] * COMPARED, 3).lead == 0
    assert features_of([rank(0.5), *[rank(0.1)] * COMPARED], 3).lead > 0


@pytest.mark.parametrize("is_semantic", [True, False])
def test_without_a_name_that_was_asked_for_it_hardly_answers(is_semantic: bool) -> None:
    found = [rank(0.45, 1.5 if is_semantic else 0.0), rank(0.1)]
    assert answers(found, 4, is_semantic=is_semantic)
    assert not answers(found, 4, lacks_name=True, is_semantic=is_semantic)


def test_what_says_most_and_has_no_vector_yet_is_judged_by_its_words() -> None:
    said = rank(0.5, 0.2)
    assert not answers([said, *[rank(0.1)] * COMPARED], 4, is_semantic=True)
    assert answers([said._replace(is_expected=True), *[rank(0.1)] * COMPARED], 4, is_semantic=True)


def covering(part: float, *names: str) -> MemoryRank:
    return rank(0.0)._replace(covered=part, names=frozenset(names))


def test_what_has_most_of_the_words_is_certain() -> None:
    assert is_certain([covering(0.0), covering(COVERED)], 3)
    assert not is_certain([covering(COVERED - 0.01)], 3)
    assert not is_certain([], 3)


def test_what_has_the_name_that_was_asked_for_is_certain_but_in_a_long_report_with_some_words_only() -> None:
    assert is_certain([covering(0.0, "Kafka")], REPORT_WORDS)
    assert not is_certain([covering(NAMED - 0.01, "Kafka")], REPORT_WORDS + 1)
    assert is_certain([covering(NAMED, "Kafka")], REPORT_WORDS + 1)
    assert not is_certain([covering(NAMED)], REPORT_WORDS + 1)


def test_of_nothing_each_feature_is_nothing() -> None:
    assert features_of([], 3)[:3] == (0.0, 0.0, 0.0)
    assert features_of([rank(0.5), rank(0.4), rank(0.3), rank(0.2), rank(0.1)], 3).lead == pytest.approx(0.3)


def test_what_has_a_part_of_the_words_or_is_near_may_answer() -> None:
    assert is_near([rank(NEAR_WORDS)], lacks_name=False)
    assert is_near([rank(0.0, NEAR_MEANING)], lacks_name=False)
    assert not is_near([rank(NEAR_WORDS)], lacks_name=True)
    assert not is_near([rank(0.1, 0.5), rank(0.9, 0.5)], lacks_name=False)
    assert not is_near([], lacks_name=False)


def test_what_does_not_reach_the_bound_may_answer_unless_the_odds_are_far_below() -> None:
    doubtful, far = [rank(0.24, 1.3), rank(0.1)], [rank(0.02, 0.3)] * COMPARED
    for is_semantic in (True, False):
        assert not answers(doubtful, 4, is_semantic=is_semantic)
        assert not is_near(doubtful, lacks_name=False)
        assert not may_answer(far, 3, lacks_name=False, is_semantic=is_semantic)
    assert may_answer(doubtful, 8, lacks_name=False, is_semantic=True)
    assert not may_answer(doubtful, 3, lacks_name=True, is_semantic=True)


def test_nothing_found_is_no_answer() -> None:
    assert not answers([], 5, is_semantic=False)
    assert not may_answer([], 5, lacks_name=False, is_semantic=True)


@given(st.lists(st.builds(rank, st.floats(0, 3), st.floats(0, 6))), st.integers(0, 400))
def test_whatever_was_found_can_be_judged(ranks: list[MemoryRank], asked: int) -> None:
    assert all(map(math.isfinite, features_of(ranks, asked)))
