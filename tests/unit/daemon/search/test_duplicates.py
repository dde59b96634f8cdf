"""Pairs of memories that may say the same, from the MinHash signatures of all."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.search.duplicates import NEIGHBOURS, Signatures
from palimp_daemon.search.minhash import KEY_MIN, SHARED_MIN, minhash_signature, words_of


def pairs_of(entries: list[tuple[int, int]], slice_: int, project: set[int]) -> Signatures:
    pairs = Signatures(project)
    for first in range(0, len(entries), slice_):
        pairs.add(entries[first : first + slice_])
    return pairs


@given(
    st.dictionaries(st.integers(1, 6), st.sets(st.integers(0, 9), min_size=1, max_size=4), max_size=6),
    st.integers(1, 7),
    st.sets(st.integers(1, 6)),
)
def test_pairs_are_those_that_share_enough_however_the_entries_are_cut(signatures, slice_: int, project: set[int]):
    """As comparing each with each would find."""
    entries = sorted((value, seq) for seq, hashes in signatures.items() for value in hashes)
    expected = [
        (older, newer)
        for older, newer in combinations(sorted(signatures.keys() & project), 2)
        if len(signatures[older] & signatures[newer]) >= min(SHARED_MIN, len(signatures[older]), len(signatures[newer]))
    ]

    assert pairs_of(entries, slice_, project).alike() == expected


@given(st.lists(st.integers(1, 500), min_size=2, unique=True), st.lists(st.integers(501, 600), unique=True))
def test_memories_with_one_key_are_paired_with_the_newest_of_them(same: list[int], others: list[int]):
    """All of them, whatever their number and their MinHash signatures, and the others with none."""
    hashes = minhash_signature(words_of("The import failed because the file was empty."))
    entries = [(value, seq) for seq in same for value in hashes]
    entries += [(KEY_MIN, seq) for seq in same] + [(KEY_MIN + seq, seq) for seq in others]

    found = pairs_of(sorted(entries), 100, {*same, *others}).alike()

    assert found == [(seq, max(same)) for seq in sorted(same)[:-1]]


def test_a_thousand_of_the_same_are_linked_in_linear_time():
    """Each to its neighbours only; nobody is left out."""
    hashes = minhash_signature(words_of("The import failed because the file was empty."))
    entries = sorted((value, seq) for seq in range(1, 1001) for value in hashes)

    alike = pairs_of(entries, 300, set(range(1, 1001))).alike()

    assert len(alike) <= 1000 * NEIGHBOURS
    assert {older for older, _ in alike} == set(range(1, 1000))
