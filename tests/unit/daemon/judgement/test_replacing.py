"""Which memory is taken to replace an older one."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.judgement.replacing import (
    COMMON_MAX,
    COSINE_MAX,
    DAY_MS,
    SAID_MIN,
    START_BOUND,
    START_DAYS_MIN,
    Statement,
    comparable_at_start,
    features_of,
    log_odds,
    odds_among,
    replaced_at_start,
    share_of,
    weight_of,
)

WORDS = frozenset({"celery", "broker", "task", "queue", "worker", "retry", "ack", "prefetch"})
OLDER_WORDS = WORDS | {"rabbitmq", "runs", "small", "machine", "cellar", "backup", "nightly"}
OLDER = Statement(OLDER_WORDS, "finding", 1, 1_000)
NEWER = Statement(WORDS | {"redis", "append", "fsync", "lose", "cluster"}, "decision", 2, 90 * 86_400_000)

STATEMENTS = st.builds(
    Statement,
    st.frozensets(st.text(min_size=1, max_size=12), max_size=30),
    st.sampled_from(["decision", "finding", "fix", "preference", "note"]),
    st.one_of(st.none(), st.integers(1, 3)),
    st.integers(0, 2**45),
)


def test_what_speaks_of_the_same_subject_more_likely_replaces_it() -> None:
    elsewhere = NEWER._replace(words=frozenset({"invoice", "rounding"}))
    assert log_odds(NEWER, OLDER, 0.6) > log_odds(elsewhere, OLDER, 0.1)
    assert log_odds(NEWER, OLDER, None) > log_odds(elsewhere, OLDER, None)


def test_what_was_saved_in_the_same_session_is_told_apart_and_replaces_nothing() -> None:
    beside = NEWER._replace(session=OLDER.session)
    assert log_odds(beside, OLDER, 0.9) < 0 < log_odds(NEWER, OLDER, 0.9)


def test_memories_without_a_session_are_not_of_one_session() -> None:
    newer, older = NEWER._replace(session=None), OLDER._replace(session=None)
    assert features_of(newer, older, 0.5).same_session == 0


def test_a_memory_of_one_kind_replaces_more_likely_than_one_of_another() -> None:
    other = NEWER._replace(kind="note" if OLDER.kind != "note" else "fix")
    assert log_odds(NEWER._replace(kind=OLDER.kind), OLDER, 0.5) > log_odds(other, OLDER, 0.5)


def test_the_longer_a_memory_stood_the_likelier_it_was_replaced() -> None:
    later = NEWER._replace(created_at=NEWER.created_at + 90 * 86_400_000)
    assert log_odds(later, OLDER, 0.5) > log_odds(NEWER, OLDER, 0.5)
    assert log_odds(later, OLDER, None) > log_odds(NEWER, OLDER, None)


def test_the_share_is_of_the_shorter_statement_and_two_words_are_not_all_of_it() -> None:
    short, long = frozenset(map(str, range(8))), frozenset({"retry", "limit", *map(str, range(2, 40))})
    assert share_of(short, long) == share_of(long, short) == 6 / 8
    few = frozenset({"retry", "limit"})
    assert share_of(few, long) == 2 / SAID_MIN
    assert share_of(few, frozenset()) == 0


def test_an_older_memory_alone_is_replaced_never_a_newer_one() -> None:
    statements = {1: OLDER, 2: NEWER, 3: NEWER._replace(words=frozenset({"logo"}))}
    assert {*odds_among(statements, {})} == {(2, 1), (3, 1)}


def started(statements: dict[int, Statement], cosine: float | None = None) -> set[int]:
    """Return what a start leaves out of *statements*, of which each two have that *cosine*."""
    pairs = comparable_at_start(statements)
    return {*replaced_at_start(pairs, {} if cosine is None else dict.fromkeys(pairs, cosine))}


def test_of_each_newer_memory_the_likeliest_older_one_is_left_out_at_a_start() -> None:
    day = 86_400_000
    likelier = OLDER._replace(words=NEWER.words, created_at=30 * day)
    statements = {1: OLDER, 2: likelier, 3: NEWER}
    assert started({1: OLDER, 3: NEWER}, 0.8) == {1}
    assert started(statements, 0.8) == {1, 2}  # the likelier one was the newer one of the other
    assert started({**statements, 2: likelier._replace(created_at=1_000)}, 0.8) == {2}


def test_two_notes_of_one_day_are_both_told_at_a_start() -> None:
    day = 86_400_000
    for later in (day - 1, day):
        newer = NEWER._replace(words=OLDER.words, created_at=OLDER.created_at + later)
        assert started({1: OLDER, 2: newer}) == ({1} if later == day else set())


@given(st.lists(STATEMENTS, max_size=8), st.one_of(st.none(), st.floats(-1, COSINE_MAX)))
def test_a_start_passes_over_no_pair_that_reaches_its_bound(listed: list[Statement], cosine: float | None) -> None:
    """But for those without a common word, which a meaning alone does not make likely."""
    statements = dict(enumerate(listed))
    compared = comparable_at_start(statements)
    for one, other in permutations(statements, 2):
        newer, older = statements[one], statements[other]
        is_apart = newer.created_at - older.created_at >= START_DAYS_MIN * DAY_MS
        if is_apart and newer.words & older.words and log_odds(newer, older, cosine) >= START_BOUND + 1e-9:
            assert compared[one, other].with_cosine(cosine) == pytest.approx(log_odds(newer, older, cosine))


def test_a_word_of_very_many_memories_is_no_reason_to_compare_them() -> None:
    same = {seq: OLDER._replace(created_at=seq * DAY_MS, session=seq) for seq in range(COMMON_MAX + 1)}
    assert not comparable_at_start(same)
    assert comparable_at_start({seq: same[seq] for seq in range(COMMON_MAX)})


def test_nearer_meanings_replace_more_likely() -> None:
    assert log_odds(NEWER, OLDER, 0.8) > log_odds(NEWER, OLDER, 0.4)


def test_words_of_a_subject_say_more_than_short_ones() -> None:
    assert weight_of({"migration"}) > weight_of({"data"})
    assert weight_of({"v2"}) > weight_of({"up"})
    assert weight_of(()) == 0


@given(STATEMENTS, STATEMENTS, st.one_of(st.none(), st.floats(-1, 1)))
def test_any_two_memories_can_be_compared(newer: Statement, older: Statement, cosine: float | None) -> None:
    features = features_of(newer, older, cosine or 0.0)
    assert 0 <= features.share <= 1
    assert log_odds(newer, older, cosine) == log_odds(newer, older, cosine)  # a number, not a NaN
