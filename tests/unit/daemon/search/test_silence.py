"""When nothing that was found answers."""

from palimp_daemon.search.memory_ranking import MemoryRank
from palimp_daemon.search.silence import SCORE_MIN, WORDS_MIN, answers


def rank(score: float) -> MemoryRank:
    return MemoryRank(1, score, score, 0.0, 0)


def test_the_best_decides() -> None:
    assert answers([rank(WORDS_MIN), rank(0.0)], is_by_meaning=False)
    assert not answers([rank(WORDS_MIN - 0.01)], is_by_meaning=False)
    assert answers([rank(SCORE_MIN)], is_by_meaning=True)
    assert not answers([rank(SCORE_MIN - 0.01)], is_by_meaning=True)


def test_nothing_found_is_no_answer() -> None:
    assert not answers([], is_by_meaning=False)
