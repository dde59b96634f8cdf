"""Which memory is taken to replace an older one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.search.replacement import SHARED_MAX, Statement, features_of, log_odds, weight_of

OLDER = Statement(frozenset({"celery", "broker", "rabbitmq"}), "finding", 1, 1_000)
NEWER = Statement(frozenset({"celery", "broker", "redis"}), "decision", 2, 2_000)

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


@pytest.mark.parametrize("kind", ["decision", "architecture", "correction"])
def test_a_decision_replaces_more_likely_than_a_note(kind: str) -> None:
    assert log_odds(NEWER._replace(kind=kind), OLDER, 0.5) > log_odds(NEWER._replace(kind="note"), OLDER, 0.5)


def test_nearer_meanings_replace_more_likely() -> None:
    assert log_odds(NEWER, OLDER, 0.8) > log_odds(NEWER, OLDER, 0.4)


def test_words_of_a_subject_say_more_than_short_ones() -> None:
    assert weight_of({"migration"}) > weight_of({"data"})
    assert weight_of({"v2"}) > weight_of({"up"})
    assert weight_of(()) == 0


@given(STATEMENTS, STATEMENTS, st.one_of(st.none(), st.floats(-1, 1)))
def test_any_two_memories_can_be_compared(newer: Statement, older: Statement, cosine: float | None) -> None:
    features = features_of(newer, older, cosine or 0.0)
    assert 0 <= features.shared <= SHARED_MAX
    assert log_odds(newer, older, cosine) == log_odds(newer, older, cosine)  # a number, not a NaN
