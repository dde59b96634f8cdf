"""Ids: ordered by time, never numbers, forgiving when typed."""

from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.store.ids import ALPHABET, RANDOM_BITS, new_id, normalize

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
