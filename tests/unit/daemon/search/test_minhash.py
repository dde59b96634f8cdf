"""Near-duplicates are found by a few numbers."""

from palimp_daemon.search.minhash import SIGNATURE_SIZE, SIMILARITY_MIN, minhash_signature, similarity, words_of

TEXT = "Retries are capped at three attempts since the payment API bans clients after the fourth failure in a minute"


def test_the_same_words_give_the_same_sketch():
    """Case and punctuation make no difference."""
    assert minhash_signature(words_of(TEXT)) == minhash_signature(words_of(TEXT.upper() + "!"))
    assert len(minhash_signature(words_of(TEXT))) == SIGNATURE_SIZE


def test_a_changed_word_leaves_something_in_common():
    """So the two are compared word by word, and found to be alike."""
    changed = TEXT.replace("minute", "hour")

    assert set(minhash_signature(words_of(TEXT))) & set(minhash_signature(words_of(changed)))
    assert similarity(words_of(TEXT), words_of(changed)) >= SIMILARITY_MIN


def test_different_texts_are_not_alike():
    """Sharing stop words is no similarity."""
    assert similarity(words_of("the cat is in the house"), words_of("the dog is on the roof")) < SIMILARITY_MIN


def test_short_texts_have_a_sketch_too():
    """One word, and stop words only."""
    assert len(minhash_signature(words_of("ruff"))) == 1
    assert minhash_signature(words_of("to be"))
