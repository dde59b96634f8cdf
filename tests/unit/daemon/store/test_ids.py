"""Ids: ordered by time, never numbers, forgiving when typed."""

import random
from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.store.ids import (
    ALPHABET,
    RANDOM_BITS,
    RANDOM_DIGITS,
    IdsOfSecond,
    id_of_content,
    new_id,
    normalize,
    shown_of,
)

NOW_MS = 1_763_726_400_000
bits = st.integers(0, 2**RANDOM_BITS - 1)


@given(st.integers(0, 900_000_000), st.integers(1, 10_000), bits, bits)
def test_later_ids_sort_later(second: int, later: int, one: int, other: int):
    """Whatever the random digits are."""
    start = NOW_MS + second * 1000

    assert new_id("m", start, one) < new_id("m", start + later * 1000, other)


@given(bits)
def test_an_id_has_its_shape(random: int):
    """A letter and eleven digits of the alphabet."""
    made = new_id("m", NOW_MS, random)

    assert len(made) == 12
    assert made[0] == "m"
    assert set(made[1:]) <= set(ALPHABET)


def test_different_random_bits_give_different_ids():
    """All bits are used."""
    assert new_id("m", NOW_MS, 0) != new_id("m", NOW_MS, 1) != new_id("m", NOW_MS, 2**RANDOM_BITS - 1)


def test_a_clock_before_the_epoch_is_no_error():
    """It gives the first second there is."""
    assert new_id("m", -5, 0).startswith("m000000")


def test_what_people_type_is_understood():
    """Capitals, spaces and look-alike letters."""
    assert normalize(" MOIL12 ") == "m01112"


@given(st.integers(0, 2**32), st.integers(1, 300), st.integers(0, 20))
def test_what_was_shown_stands_for_one_id_for_ever(seed: int, count: int, before: int):
    """Though hundreds are made in one second, some of them before the daemon was started; it follows from the id."""
    bits = partial(random.Random(seed).getrandbits, RANDOM_BITS)
    old = IdsOfSecond("m", NOW_MS)
    made = [drawn for _ in range(before) if (drawn := old.draw(bits))]
    new = IdsOfSecond("m", NOW_MS, [whole for whole, _ in made])
    made += [drawn for _ in range(count) if (drawn := new.draw(bits))]

    assert len(made) == before + count
    for whole, shown in made:
        assert [other for other, _ in made if other.startswith(shown)] == [whole]
        assert shown_of(whole) == shown


def test_the_first_of_a_second_are_shown_short():
    """And of a thousand none is long."""
    bits = partial(random.Random(1).getrandbits, RANDOM_BITS)
    of_second = IdsOfSecond("m", NOW_MS)
    lengths = [len(drawn[1]) for _ in range(1_000) if (drawn := of_second.draw(bits))]

    assert set(lengths[:8]) == {8}
    assert set(lengths[:100]) == {8, 9}
    assert len(lengths) == 1_000
    assert max(lengths) == 10


def test_a_second_without_room_says_so():
    """The next one has some."""
    of_second = IdsOfSecond("m", NOW_MS)
    drawn = [of_second.draw(lambda: 0) for _ in range(RANDOM_DIGITS + 1)]

    assert None not in drawn[:-1]
    assert drawn[-1] is None


def test_an_id_of_content_is_the_same_each_time_and_looks_like_others():
    first, again, other = (id_of_content("t", content) for content in (b"one", b"one", b"two"))
    assert first == again != other
    assert len(first) == len(new_id("m", 0, 0))
    assert set(first[1:]) <= set(ALPHABET)
    assert normalize(first) == first


def test_ids_of_much_content_differ():
    """There may be a million turns."""
    assert len({id_of_content("t", str(number).encode()) for number in range(100_000)}) == 100_000
