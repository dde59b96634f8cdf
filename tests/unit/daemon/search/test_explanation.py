"""Why a row stands where it stands, in sentences that a reader can take apart."""

import pytest

from palimp_daemon.search.explanation import IN_TIME, VERY_NEAR_MEANING, Circumstances, explanation, matching_words
from palimp_daemon.search.memory_ranking import ANSWER_SCORE, MemoryRank, answered_part
from palimp_daemon.search.silence import NEAR_MEANING

RANK = MemoryRank(1, 0.5, 0.5, 0.0, 0, covered=0.5)


def test_the_words_come_first_and_the_score_last():
    assert explanation(RANK, Circumstances(["carts", "kept"])) == (
        "Words that match: carts, kept (50% of what was asked). Score 0.50."
    )


@pytest.mark.parametrize(
    ("words", "covered", "said"),
    [
        ([], 0.0, "No word matches."),
        (["tabs"], 1.0, "All words match: tabs."),
        (["tabs"], 0.0, "Related words match: tabs."),
        (["tabs"], None, "Words that match: tabs."),
        (list("abcdefgh"), 0.4, "Words that match: a, b, c, d, e, f … (40% of what was asked)."),
    ],
)
def test_how_much_of_the_words_matches(words: list[str], covered: float | None, said: str):
    assert matching_words(words, covered) == said


@pytest.mark.parametrize(
    ("meaning", "is_expected", "said"),
    [
        (VERY_NEAR_MEANING, False, "Its meaning is very near."),
        (NEAR_MEANING, False, "Its meaning is near."),
        (0.3, False, "Its meaning is far."),
        (0.3, True, "Its meaning is not known yet, and taken as its words let expect."),
    ],
)
def test_how_near_its_meaning_is(meaning: float, is_expected: bool, said: str):
    rank = RANK._replace(meaning=meaning, score=0.5 + meaning, is_expected=is_expected)
    told = explanation(rank, Circumstances())
    assert told == f"No word matches. {said} Score {rank.score:.2f}: 0.50 for words, {meaning:.2f} for meaning."


def test_what_it_passes_and_what_it_stands_for_are_named():
    told = explanation(RANK, Circumstances(replaces=["m1", "m2", "m3"]))
    assert "Before m1, m2 and m3, which it likely replaces." in told
    told = explanation(RANK, Circumstances(stands_for="m4"))
    assert told.startswith("In place of m4, which it replaced and which was found.")


@pytest.mark.parametrize("in_time", [*IN_TIME])
def test_what_a_time_in_the_question_does_is_told(in_time):
    assert IN_TIME[in_time] in explanation(RANK, Circumstances(in_time=in_time))


def test_a_memory_answers_as_much_by_its_meaning_as_by_words():
    assert answered_part(RANK) == 0.5
    assert answered_part(RANK._replace(meaning=3.0, score=ANSWER_SCORE)) == 1.0
    assert answered_part(RANK._replace(meaning=3.0, score=ANSWER_SCORE, is_expected=True)) == 0.5
    assert answered_part(RANK._replace(meaning=0.2, score=0.7)) == 0.5
