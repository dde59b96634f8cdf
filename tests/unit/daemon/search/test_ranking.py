"""The order of what was found, each rule by itself."""

import re

from palimp_daemon.search.ranking import (
    COVERED_WEIGHT,
    FEW_ROWS,
    OWN_COVERED_SHARE,
    PARTS,
    RERANKED_MAX,
    SESSION_WEIGHT,
    Candidate,
    lift_few,
    rank_candidates,
)

NOW_MS = 1_763_726_400_000
DAY_MS = 86_400_000
IDF = {"red": 2.0, "fox": 2.0, "common": 0.1}


def candidate(seq: int, text: str = "", *, words: float = 5.0, session: int | None = None, **more) -> Candidate:
    superseded, around_from = more.get("superseded", False), more.get("around_from", 0)
    said: dict[str, list[int]] = {}
    for match in re.finditer(r"\w+", text):
        said.setdefault(match[0], []).append(match.start())
    return Candidate(seq, words, said, session, more.get("at", 0), superseded, around_from)


def order(*candidates: Candidate, ordering: tuple[str, ...] = ()) -> list[int]:
    return [each.seq for each in rank_candidates(candidates, ["red", "fox"], ordering, IDF, NOW_MS, 10)]


def test_without_anything_else_the_words_decide():
    """And of equals the newer comes first."""
    assert order(candidate(1, words=3), candidate(2, words=4), candidate(3, words=3)) == [2, 3, 1]


def test_words_that_are_near_each_other_count_more():
    """Within some words, as in the query."""
    far = "red " + "x " * 40 + "fox"

    assert order(candidate(2, far), candidate(1, "the red quick fox")) == [1, 2]


def test_a_session_that_matches_well_lifts_its_memories():
    """Three of one session come before a slightly better loner."""
    assert order(candidate(9, words=5.2), *(candidate(seq, words=5.0, session=7) for seq in (1, 2, 3))) == [3, 2, 1, 9]


def test_a_long_session_does_not_bury_what_a_short_one_says():
    """However many of its memories match somewhat: one that matches much better comes first."""
    many = [candidate(seq, words=5.0, session=7) for seq in range(1, 50)]

    assert order(*many, candidate(99, words=8.0, session=8))[0] == 99


def test_a_memory_without_session_is_a_session_of_its_own():
    """It is not put behind for that."""
    assert order(candidate(1, words=5.1), candidate(2, words=5.0, session=7)) == [1, 2]


def test_a_memory_counts_for_itself_wherever_it_stands_and_for_others_among_the_best_only():
    """Where more are asked for, too: no memory is worth less to itself for those before it."""
    best = [candidate(seq, words=5.0) for seq in range(RERANKED_MAX)]
    others = [candidate(seq, words=2.0, session=7) for seq in (98, 99)]

    found = rank_candidates([*best, *others], ["red", "fox"], (), IDF, NOW_MS, 50)

    session = PARTS.index("session")
    assert [round(each.parts[session], 6) for each in found[-2:]] == [round(SESSION_WEIGHT * 2.0, 6)] * 2


def test_words_that_its_neighbours_have_count_for_a_memory():
    """In both directions, for the memories that are around it in its session; not for those further away."""
    near = [candidate(1, "red", session=7), candidate(2, "fox", session=7)]
    far = [candidate(11, "red", session=8), candidate(19, "fox", session=8, around_from=12)]

    assert order(*far, *near) == [2, 1, 19, 11]


def test_words_that_another_session_has_count_for_nobody_else():
    """Nor do those of memories without a session, though they were saved side by side."""
    found = [candidate(1, "red", session=7), candidate(2, "fox", session=8), candidate(3, "red"), candidate(4, "fox")]
    covered = {
        each.parts[PARTS.index("covered")] for each in rank_candidates(found, ["red", "fox"], [], IDF, NOW_MS, 10)
    }

    assert covered == {5.0 * COVERED_WEIGHT * OWN_COVERED_SHARE / 2}


def test_common_words_decide_between_equals():
    """Those that were too common to select by."""
    assert order(candidate(2), candidate(1, "common"), ordering=("common",)) == [1, 2]


def test_the_newer_of_equals_comes_first():
    """By its date, not by its place in the table."""
    assert order(candidate(2, at=NOW_MS - 90 * DAY_MS), candidate(1, at=NOW_MS)) == [1, 2]


def test_a_superseded_memory_comes_behind_its_successor():
    """It is still found."""
    assert order(candidate(2, superseded=True), candidate(1)) == [1, 2]


def test_the_parts_are_told():
    """Those that are nothing are left out."""
    (alone,) = rank_candidates([candidate(1, "red fox", at=NOW_MS)], ["red", "fox"], [], IDF, NOW_MS, 10)
    (old,) = rank_candidates([candidate(1, superseded=True)], [], [], IDF, NOW_MS, 10)

    assert alone.why() == (
        "Score 10.52 = 5.00 for its words + 0.60 for words that stand together + 2.40 for how much of what"
        " was asked it has + 2.02 for others of its session + 0.50 for being recent."
    )
    assert old.why().endswith("for others of its session, times 0.5 since something newer replaced it.")
    assert alone.score == sum(alone.parts)


def test_words_weigh_something_among_few_rows():
    """Also those that all of them hold; the rarer the more, and the less the more rows there are."""
    three = [candidate(1, "common", words=0.0), candidate(2, "red", words=0.0), candidate(3, "common", words=0.0)]

    common, red, _ = (each.words for each in lift_few(three, 3))
    assert red > common > 0.1
    assert [each.words for each in lift_few(three, FEW_ROWS + 9)] == [0.0, 0.0, 0.0]
    (alone,) = lift_few([candidate(1, "red", words=0.0)], 1)
    (among_many,) = lift_few([candidate(1, "red", words=0.0)], FEW_ROWS - 1)
    assert alone.words > 0.1
    assert 0.0 < among_many.words < 0.2
