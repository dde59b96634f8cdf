"""What a word says by how few memories have it."""

from palimp_daemon.search.rarity import MEMORIES_MIN, rarity


def test_a_word_says_less_the_more_memories_have_it():
    said = [rarity(count, 1_000) for count in (1, 3, 10, 100, 400, 600, 1_000, 2_000)]

    assert said == sorted(said, reverse=True)
    assert said[-3:] == [0.0, 0.0, 0.0]


def test_a_word_of_one_memory_says_all_in_a_store_of_any_size():
    assert rarity(0, 10) == rarity(1, 10) == rarity(1, 100_000) == 1.0


def test_a_word_of_a_small_store_is_as_rare_as_one_of_a_larger_store():
    assert rarity(3, 4) == rarity(3, MEMORIES_MIN) > 0.5
