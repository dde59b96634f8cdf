"""Which words a word that is not known may stand for: one slip away, and short ones nearer than long ones."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from palimp_daemon.search.spelling import (
    EASY_COST,
    LETTERS_MAX,
    LETTERS_MIN,
    WEIGHT_MAX,
    cost_between,
    easy_edits,
    halves_of,
    is_tried,
    one_edit_away,
    pairs_of_one,
    two_letters_swapped,
    weight_between,
)

WORDS = st.text("abcdefgilmnoprstuy", min_size=6, max_size=12)
ANY = st.text(max_size=30)


def by_rows(one: str, other: str) -> int:
    """The edits between two words as the textbook counts them, in a table."""
    table = [[row + column for column in range(len(other) + 1)] for row in range(len(one) + 1)]
    for row in range(1, len(one) + 1):
        for column in range(1, len(other) + 1):
            is_other = one[row - 1] != other[column - 1]
            ways = [table[row - 1][column] + 1, table[row][column - 1] + 1, table[row - 1][column - 1] + is_other]
            if row > 1 and column > 1 and one[row - 2 : row] == other[column - 2 : column][::-1]:
                ways.append(table[row - 2][column - 2] + 1)
            table[row][column] = min(ways)
    return table[-1][-1]


@given(one=st.text("abc", max_size=7), other=st.text("abc", max_size=7), edits=st.integers(0, 2))
def test_a_word_is_as_many_edits_away_as_the_table_says(one: str, other: str, edits: int):
    """Found without the table, which takes ten times as long."""
    assert (cost_between(one, other, edits) is not None) == (by_rows(one, other) <= edits)


@given(word=WORDS, data=st.data())
def test_every_edit_of_a_word_is_among_those_one_edit_away_and_leads_back(word: str, data: st.DataObject):
    """But where the first letter of a short word is another one, which weighs too much."""
    slip = data.draw(st.sampled_from(sorted({*one_edit_away(word)} - {word})))

    assert by_rows(word, slip) == 1
    assert word in {*one_edit_away(slip)}
    assert 0 < weight_between(slip, word) < 1 or slip[0] != word[0]


@given(one=ANY, other=ANY)
@example(one="データベース", other="データベーズ")
@example(one="", other="")
def test_words_of_any_script_are_compared(one: str, other: str):
    """Nothing raises, and nothing counts as much as the word itself."""
    assert 0 <= weight_between(one or "x", other) <= WEIGHT_MAX < 1
    assert is_tried(one) in (True, False)
    assert all("".join(pair) == one for pair in halves_of(one))


@pytest.mark.parametrize(
    ("slip", "word"),
    [
        ("gatway", "gateway"),
        ("deamon", "daemon"),
        ("wehbook", "webhook"),
        ("comit", "commit"),
        ("bord", "board"),
        ("dedublication", "deduplication"),
        ("confgiuraton", "configuration"),
        ("развертвание", "развертывание"),
        ("ueberprufung", "uberprufung"),
    ],
)
def test_slips_that_people_make_have_the_right_word_as_neighbour(slip: str, word: str):
    assert weight_between(slip, word) > 0


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("baud", "band"),
        ("null", "pull"),
        ("apple", "people"),
        ("sentry", "entry"),
        ("gericht", "gemacht"),
        ("api", "app"),
    ],
)
def test_other_words_are_no_neighbours(word: str, other: str):
    """Short ones with another letter, ones with another first letter, two edits of a short one."""
    assert weight_between(word, other) == 0


def test_frequent_slips_weigh_more():
    """Two letters in the wrong order and a letter doubled, rather than any other; and the first letter stands."""
    assert weight_between("exprot", "export") > weight_between("expowt", "export")
    assert weight_between("shiping", "shipping") > weight_between("shpping", "shipping")
    assert weight_between("gatewqy", "gateway") > weight_between("gatewmy", "gateway")
    assert weight_between("databaxe", "database") > weight_between("xatabase", "database")


@pytest.mark.parametrize(
    "word", ["v2", "k8s", "abc", "データベース", "数据库的配置", "a" * (LETTERS_MAX + 1), "snake_case", "a b cd", ""]
)
def test_what_is_no_plain_word_is_not_tried(word: str):
    """Too short, with digits, of a script without spaces, too long."""
    assert not is_tried(word)


def test_a_word_is_tried_from_some_letters_on():
    assert is_tried("a" * LETTERS_MIN)
    assert not is_tried("a" * LETTERS_MIN, LETTERS_MIN + 1)


def test_two_letters_change_places():
    assert two_letters_swapped("trail") == ["rtail", "taril", "trial", "trali"]


def test_a_space_that_was_left_out_may_stand_anywhere():
    """But for parts that say nothing."""
    assert halves_of("logfile") == [("log", "file"), ("logf", "ile")]
    assert halves_of("short") == []


def test_two_words_may_be_one():
    """Where one of them is unknown, or a stop word."""
    stop_words = {"out", "in", "to"}

    assert pairs_of_one(["check", "out"], set(), stop_words) == {"checkout": "check out"}
    assert pairs_of_one(["web", "hook"], {"hook"}, stop_words) == {"webhook": "web hook"}
    assert pairs_of_one(["web", "hook"], set(), stop_words) == {}
    assert pairs_of_one(["in", "to"], set(), stop_words) == {}
    assert pairs_of_one(["checkout", "check", "out"], set(), stop_words) == {}
    assert pairs_of_one(["b", "out"], set(), stop_words) == {}


@pytest.mark.parametrize("word", ["revision", "sessoin", "keeper", "zzzyx", "straße"])
def test_easy_edits_are_those_that_cost_least(word):
    """All of them, behind the first letter: none is missed that another one away costs as little."""
    easy = {*easy_edits(word)} - {word}

    assert all(cost_between(word, each, 1) == EASY_COST for each in easy)
    near = [each for each in one_edit_away(word) if each[:1] == word[:1]]
    assert easy >= {each for each in near if cost_between(word, each, 1) == EASY_COST}
