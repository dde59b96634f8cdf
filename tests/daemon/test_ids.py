"""Ids: ordered by time, never numbers, forgiving when typed."""

import random
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.store.ids import ALPHABET, RANDOM_BITS, IdsOfSecond, new_id, normalize, second_prefix

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


@given(st.lists(st.integers(0, 2**12 - 1).map(lambda few: few << 13), max_size=400), st.integers(0, 20))
def test_what_was_shown_stands_for_one_id_for_ever(drawn: list[int], before: int):
    """Though hundreds are made in one second, some of them before the daemon was started."""
    ids = [new_id("m", NOW_MS, random) for random in drawn]
    made = list(dict.fromkeys(ids[:before]))
    of_second = IdsOfSecond(second_prefix("m", NOW_MS), made)
    shown = {}
    for each in ids[before:]:
        if prefix := of_second.add(each):
            shown[each] = prefix
            made.append(each)

    assert len(set(made)) == len(made)
    for each, prefix in shown.items():
        assert [other for other in made if other.startswith(prefix)] == [each]


def test_a_second_has_room_for_hundreds_of_ids_and_few_are_long():
    """Half of the short prefixes are kept for those that are shown longer."""
    chance = random.Random(1)
    of_second = IdsOfSecond(second_prefix("m", NOW_MS))
    shown = [of_second.add(new_id("m", NOW_MS, chance.getrandbits(RANDOM_BITS))) for _ in range(1_000)]

    lengths = Counter(len(prefix) for prefix in shown if prefix)
    assert lengths[8] == 16
    assert lengths[9] > 100
    assert sum(lengths.values()) > 250
