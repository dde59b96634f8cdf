"""Which of many memories likely hold no more: those whose subject a newer one begins with, and whose words it has."""

from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.search.still_holding import (
    DAY_MS,
    ODDS_MIN,
    OPENING_CHARACTERS,
    Outline,
    features_of,
    likely_replaced,
    log_odds,
    opening_of,
)


def said(text: str, day: int) -> Outline:
    return Outline(frozenset(text.lower().split()), frozenset(opening_of(text).lower().split()), day * DAY_MS)


OLD = said("Retention raw files bucket thirty days", 1)
NEW = said("Retention raw files bucket ninety days finance", 60)
OTHER = said("Retries upstream calls end after three attempts", 30)


def test_a_newer_one_on_the_same_subject_replaces_the_older_one():
    assert likely_replaced({1: OLD, 2: NEW, 3: OTHER}) == {1}


def test_the_date_tells_which_is_newer_and_not_the_number():
    assert likely_replaced({1: NEW, 2: OLD}) == {2}


def test_what_was_said_at_the_same_time_replaces_nothing():
    assert likely_replaced({1: OLD, 2: NEW._replace(created_at=OLD.created_at)}) == set()


def test_a_word_in_common_is_not_a_subject():
    assert likely_replaced({1: said("yarn install", 1), 2: said("yarn cache", 90)}) == set()


def test_of_versions_the_last_one_holds():
    versions = {day: said(f"Retention raw files bucket since {word} days", day) for day, word in ((1, "a"), (50, "b"))}
    assert likely_replaced(versions | {90: NEW}) == {1, 50}


def test_a_beginning_is_short_whatever_the_script():
    assert opening_of("one two three four five six seven eight nine") == "one two three four five six seven eight"
    assert opening_of("") == opening_of(" \n") == ""
    assert len(opening_of("数" * 500)) == OPENING_CHARACTERS


WORDS = st.frozensets(st.sampled_from("abcdefghij"), max_size=8)
OUTLINES = st.builds(Outline, WORDS, WORDS, st.integers(0, 10**13))


@given(st.dictionaries(st.integers(1, 99), OUTLINES, max_size=12))
def test_the_newest_of_all_always_holds(outlines: dict[int, Outline]):
    replaced = likely_replaced(outlines)
    newest = max((each.created_at for each in outlines.values()), default=0)

    assert replaced <= outlines.keys()
    assert not any(outlines[seq].created_at == newest for seq in replaced)


@given(st.dictionaries(st.integers(1, 99), OUTLINES, max_size=12))
def test_pairs_that_share_too_little_need_not_be_compared(outlines: dict[int, Outline]):
    """None of them is likely, whatever else speaks for it."""
    every_pair = features_of(outlines).items()

    assert likely_replaced(outlines) == {older for (_, older), each in every_pair if log_odds(each) >= ODDS_MIN}
