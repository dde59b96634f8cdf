"""Near-duplicates are found by a few numbers."""

from palimp_daemon.search.minhash import SIMILARITY_MIN, SKETCH_SIZE, similarity, sketch, words_of

TEXT = "Retries are capped at three attempts since the payment API bans clients after the fourth failure in a minute"


def test_the_same_words_give_the_same_sketch():
    """Case and punctuation make no difference."""
    assert sketch(words_of(TEXT)) == sketch(words_of(TEXT.upper() + "!"))
    assert len(sketch(words_of(TEXT))) == SKETCH_SIZE


def test_a_changed_word_leaves_something_in_common():
    """So the two are compared word by word, and found to be alike."""
    changed = TEXT.replace("minute", "hour")

    assert set(sketch(words_of(TEXT))) & set(sketch(words_of(changed)))
    assert similarity(words_of(TEXT), words_of(changed)) >= SIMILARITY_MIN


def test_different_texts_are_not_alike():
    """Sharing stop words is no similarity."""
    assert similarity(words_of("the cat is in the house"), words_of("the dog is on the roof")) < SIMILARITY_MIN


def test_short_texts_have_a_sketch_too():
    """One word, and stop words only."""
    assert len(sketch(words_of("ruff"))) == 1
    assert sketch(words_of("to be"))
